# The manual; included by the Makefile, whose variables it uses. Pages are made with awk and the tool itself, and not
# kept in the tree, so that `make install` has them wherever it works, and they say what headers and tool say. The
# reference in HTML takes Doxygen.
MAN     := $(BUILD)/man
MANDIR  ?= $(PREFIX)/share/man
HEADERS := $(wildcard include/jig/*.h)

# A page for each header, and one that leads there for each other function in it.
$(MAN)/made: $(HEADERS) tools/man/man3.awk tools/man/jig1.sh $(BUILD)/jig
	$(Q)rm -rf $(MAN) && mkdir -p $(MAN)/man1 $(MAN)/man3
	$(Q)tools/man/jig1.sh $(BUILD)/jig $(VERSION) > $(MAN)/man1/jig.1
	$(Q)for header in $(HEADERS:include/jig/%.h=%); do \
	  page=jig$$([ $$header = jig ] || echo _$$header); \
	  awk -v version=$(VERSION) -f tools/man/man3.awk include/jig/$$header.h > $(MAN)/man3/$$page.3 || exit 1; \
	  sed -n '/^\.SH NAME/{n;s/ \\- .*//;s/, /\n/g;p}' $(MAN)/man3/$$page.3 | while read -r name; do \
	    [ $$name = $$page ] || echo ".so man3/$$page.3" > $(MAN)/man3/$$name.3; done; done
	$(Q)touch $@

## man: the manual's pages, build/man
man: $(MAN)/made

install-man: $(MAN)/made
	$(Q)install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man3
	$(Q)install -m 644 $(MAN)/man1/*.1 $(DESTDIR)$(MANDIR)/man1
	$(Q)install -m 644 $(MAN)/man3/*.3 $(DESTDIR)$(MANDIR)/man3

uninstall-man:
	$(Q)rm -f $(DESTDIR)$(MANDIR)/man1/jig.1 $(DESTDIR)$(MANDIR)/man3/jig.3 $(DESTDIR)$(MANDIR)/man3/jig_*.3

## docs: the manual, and a reference in HTML of the public headers, build/docs/html (with Doxygen)
docs: man
	$(Q)command -v doxygen >/dev/null || { \
	  echo "make docs needs Doxygen: sudo apt-get install -y doxygen" >&2; exit 1; }
	$(Q)mkdir -p $(BUILD)/docs
	$(Q)VERSION=$(VERSION) OUTPUT=$(BUILD)/docs doxygen tools/man/Doxyfile
.PHONY: man install-man uninstall-man docs
