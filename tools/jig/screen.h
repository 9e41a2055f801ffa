/* Text for people: as wide as their terminal, in colour where they see colours. $COLUMNS says otherwise
 * how wide, NO_COLOR and CLICOLOR_FORCE whether in colour. */
#ifndef JIG_CLI_SCREEN_H
#define JIG_CLI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* How many columns standard output has; where it is no terminal, 100. */
int screen_width(void);

/* Whether lines are to be cut to that width: not where they go to a file or a program. */
bool screen_cuts(void);

/* Whether lines are cut, and there is room for half of what else they hold. */
bool screen_is_narrow(void);

/* Prints what a line ends with, from a column on that the cursor is at, cut where it does not fit. */
void screen_print_rest(int column, const char *text);

/* What begins a colour, or ends it, on standard output; "" where there are none. */
typedef enum screen_colour {
  COLOUR_NONE,
  COLOUR_GOOD,
  COLOUR_BAD,
  COLOUR_WARNING,
  COLOUR_HEADER
} screen_colour;
const char *screen_colour_text(screen_colour colour);

/* Prints a text from a column on, which the cursor is at, in lines no longer than the screen: words go to
 * the next line. Ends it with a newline. */
void screen_wrap(int column, const char *text);

/* Paragraphs, fitted to the screen, and lines of lists, which begin with blanks: a word, blanks, and what
 * it is about, or only that. */
void screen_print_text(const char *text);

#endif
