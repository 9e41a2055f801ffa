#include "cache_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "describe.h"
#include "report.h"
#include "screen.h"

/* Of keys as much as tells programs apart, where there is little room; and days, and no compiler. */
static int key_width(void) {
  return screen_is_narrow() ? 12 : 32;
}

void cache_table_header(void) {
  printf("%s%-*s  %-10s  ", screen_colour_text(COLOUR_HEADER), key_width(), "KEY", "ARCH");
  if (!screen_is_narrow()) printf("%-5s  ", "NVRTC");
  printf("%10s  %-*s  PROGRAM%s\n", "SIZE", screen_is_narrow() ? 10 : 16, "LAST USE",
         screen_colour_text(COLOUR_NONE));
}

/* "reduce accum=f32 ...", what is wrong, and where it is if that is not the user's directory. */
static char *text_of(const cached *e) {
  char *text = NULL, *program = e->sound ? describe_spec(e->spec) : NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out != NULL) {
    if (e->layer > 0) (void)fprintf(out, "(read-only layer %d)  ", e->layer);
    if (e->sound)
      (void)fputs(program != NULL ? program : "?", out);
    else
      (void)fprintf(out, "damaged: %s", e->fault);
    if (fclose(out) != 0) text = NULL;
  }
  free(program);
  return text;
}

void cache_table_row(const cached *e) {
  char date[32] = "?", size[BYTES_TEXT_SIZE];
  const time_t seconds = (time_t)e->last_used;
  struct tm local;
  if (localtime_r(&seconds, &local) != NULL)
    (void)strftime(date, sizeof date, screen_is_narrow() ? "%Y-%m-%d" : "%Y-%m-%d %H:%M", &local);
  int column = printf("%-*.*s  %-10s  ", key_width(), key_width(), e->key, e->arch);
  if (!screen_is_narrow()) column += printf("%-5s  ", e->compiler);
  column += printf("%10s  %s  ", bytes_text((double)e->bytes, size), date);
  char *text = text_of(e);
  if (!e->sound) printf("%s", screen_colour_text(COLOUR_BAD));
  screen_print_rest(column, text != NULL ? text : "?");
  if (!e->sound) printf("%s", screen_colour_text(COLOUR_NONE));
  printf("\n");
  free(text);
}
