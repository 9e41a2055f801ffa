#include "screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int screen_width(void) {
  enum { USUAL = 100, LEAST = 40, MOST = 1000 };
  const char *columns = getenv("COLUMNS");
  struct winsize size = {.ws_col = 0};
  int width = columns != NULL ? atoi(columns) : 0;
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (width <= 0) return USUAL;
  return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

bool screen_cuts(void) {
  return getenv("COLUMNS") != NULL || isatty(STDOUT_FILENO);
}

bool screen_is_narrow(void) {
  enum { WIDE = 120 };
  return screen_cuts() && screen_width() < WIDE;
}

/* The bytes of a text that fit, none of a character's left out. */
static int bytes_within(const char *text, int columns) {
  int bytes = 0;
  for (int column = 0; text[bytes] != '\0' && column < columns; ++column) do
      ++bytes;
    while ((text[bytes] & 0xC0) == 0x80);
  return bytes;
}

void screen_print_rest(int column, const char *text) {
  const int room = screen_width() - column;
  if (!screen_cuts() || bytes_within(text, room) == (int)strlen(text))
    printf("%s", text);
  else
    printf("%.*s...", room > 3 ? bytes_within(text, room - 3) : 0, text);
}

static bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value != NULL && value[0] != '\0';
}

const char *screen_colour_text(screen_colour colour) {
  static const char *const texts[] = {[COLOUR_NONE] = "\033[0m",
                                      [COLOUR_GOOD] = "\033[32m",
                                      [COLOUR_BAD] = "\033[31m",
                                      [COLOUR_WARNING] = "\033[33m",
                                      [COLOUR_HEADER] = "\033[1m"};
  const bool is_wanted = is_set("CLICOLOR_FORCE") || isatty(STDOUT_FILENO);
  return is_wanted && !is_set("NO_COLOR") ? texts[colour] : "";
}

void screen_wrap(int column, const char *text) {
  const int width = screen_width(), begin = column;
  for (const char *word = text + strspn(text, " \n"); *word != '\0'; word += strspn(word, " \n")) {
    const int length = (int)strcspn(word, " \n");
    if (column > begin && column + 1 + length > width) {
      printf("\n%*s", begin, "");
      column = begin;
    }
    if (column > begin) column += printf(" ");
    column += printf("%.*s", length, word);
    word += length;
  }
  printf("\n");
}

/* Up to the line that is of no paragraph: an empty one, or one that begins with a blank. */
static size_t paragraph_length(const char *text) {
  size_t length = strcspn(text, "\n");
  while (text[length] == '\n' && strchr(" \n", text[length + 1]) == NULL)
    length += 1 + strcspn(text + length + 1, "\n");
  return length;
}

/* Where what a line is about begins: behind the first two blanks that follow a word, or the first ones.
 */
static int column_of(const char *line, size_t length) {
  const size_t begin = strspn(line, " ");
  for (size_t i = begin; i + 1 < length; ++i)
    if (line[i] == ' ' && line[i + 1] == ' ') return (int)(i + strspn(line + i, " "));
  return (int)begin;
}

void screen_print_text(const char *text) {
  while (*text != '\0') {
    const bool is_line = *text == ' ' || *text == '\n';
    const size_t length = is_line ? strcspn(text, "\n") : paragraph_length(text);
    const int column = is_line && length > 0 ? column_of(text, length) : 0;
    char *rest = strndup(text + column, length - (size_t)column);
    printf("%.*s", column, text);
    if (rest != NULL) screen_wrap(column, rest);
    free(rest);
    text += length;
    text += *text == '\n';
  }
}
