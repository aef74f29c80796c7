/* Text in aligned columns. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct cli_grid {
    int cols;
    unsigned left; /* bit k: column k is flush left */
    size_t count, capacity;
    char **cell; /* row by row; NULL is empty */
};

cli_grid *cli_grid_new(int cols, unsigned left)
{
    cli_grid *g = cli_alloc(1, sizeof *g);
    g->cols = cols;
    g->left = left;
    return g;
}

/* Names come from files and may hold anything; a cell stays on its line. */
void cli_grid_add(cli_grid *g, char *cell)
{
    if (cell)
        cli_make_plain(cell);
    if (g->count == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 64;
        char **more = cli_alloc(g->capacity, sizeof *more);
        if (g->count)
            memcpy(more, g->cell, g->count * sizeof *more);
        free(g->cell);
        g->cell = more;
    }
    g->cell[g->count++] = cell;
}

/* Columns on the screen of a UTF-8 text, taking every character as one wide. */
static int width_of(const char *text)
{
    int width = 0;
    for (; text && *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_row(const cli_grid *g, char *const *cell, int count, const int *width)
{
    while (count > 0 && width_of(cell[count - 1]) == 0)
        count--; /* no blanks at the end of a line */
    for (int k = 0; k < count; k++) {
        const bool left = k < 32 && (g->left >> k & 1u);
        const int blanks = width[k] - width_of(cell[k]);
        printf("  %*s%s", left ? 0 : blanks, "", cell[k] ? cell[k] : "");
        if (left && k + 1 < count)
            printf("%*s", blanks, "");
    }
    putchar('\n');
}

void cli_grid_print(const cli_grid *g)
{
    const size_t cols = (size_t)g->cols;
    int *width = cli_alloc(cols, sizeof *width);
    for (size_t i = 0; i < g->count; i++) {
        const int w = width_of(g->cell[i]);
        if (w > width[i % cols])
            width[i % cols] = w;
    }
    for (size_t i = 0; i < g->count; i += cols)
        print_row(g, g->cell + i, (int)(g->count - i < cols ? g->count - i : cols), width);
    free(width);
}

void cli_grid_free(cli_grid *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->count; i++)
        free(g->cell[i]);
    free(g->cell);
    free(g);
}
