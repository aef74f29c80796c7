/* Lists of kernels: {rbf,laplace:sigma={1,2},linear}, or `auto`. */
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "kernel/registry.h"

/* What `auto` compares: smooth functions, rough ones, those between, straight lines, and, for few
 * columns, polynomials. */
static const char AUTO[] = "{rbf,laplace,matern,linear,poly:degree={2,3}}";

/* Whether what follows a comma is another kernel, not key=value of the one before. */
static bool begins_kernel(const char *text)
{
    const size_t length = strcspn(text, ":=,+{}");
    return text[length] != '=';
}

/* The end of a kernel of a list: a comma that another follows, or the last brace. */
static const char *kernel_end(const char *text, const char *last)
{
    int depth = 0;
    for (const char *c = text; c < last; c++) {
        depth += (*c == '{') - (*c == '}');
        if (*c == ',' && depth == 0 && begins_kernel(c + 1))
            return c;
    }
    return last;
}

static specreg_status parse_one(specreg_context *ctx, const char *text, const char *end,
                                sri_kernel_grid *out)
{
    specreg_status st = SPECREG_OK;
    char *one = NULL;
    SRI_TAKEN(one, sri_strndup(ctx, text, (size_t)(end - text)));
    SRI_TRY(sri_kernel_family_parse(ctx, one, out));
    SRI_REQUIRE(ctx,
                !sri_kernel_grid_indexed(out) && !sri_kernel_is_field(&out->base) &&
                    !sri_kernel_is_matrix(&out->base),
                SPECREG_E_ARG, "kernel %s cannot be one of a list: it stands alone",
                sri_kernel_term_name(&out->base.term[0]));
done:
    sri_free(one);
    return st;
}

specreg_status sri_kernel_grid_parse(specreg_context *ctx, const char *text, sri_kernel_grid *out)
{
    specreg_status st = SPECREG_OK;
    const bool automatic = strcmp(text, "auto") == 0;
    *out = (sri_kernel_grid){0};
    text = automatic ? AUTO : text + strspn(text, " ");
    const size_t length = strlen(text);
    if (*text != '{')
        return sri_kernel_family_parse(ctx, text, out);
    const char *last = text + length - 1;
    SRI_REQUIRE(ctx, *last == '}', SPECREG_E_ARG, "kernel: the list '%s' has no end: write {a,b}",
                text);
    for (sri_kernel_grid *family = out;; family = family->next) {
        const char *end = kernel_end(++text, last);
        SRI_TRY(parse_one(ctx, text, end, family));
        text = end;
        if (end == last)
            break;
        SRI_CALLOC(ctx, family->next, 1, 1);
    }
    out->automatic = automatic;
done:
    if (st != SPECREG_OK)
        sri_kernel_grid_free(out);
    return st;
}

const sri_kernel_grid *sri_kernel_family_at(const sri_kernel_grid *grid, int64_t *index)
{
    while (grid && *index >= sri_kernel_family_count(grid)) {
        *index -= sri_kernel_family_count(grid);
        grid = grid->next;
    }
    return grid;
}

bool sri_kernel_same_family(const sri_kernel *a, const sri_kernel *b)
{
    if (a->n_terms != b->n_terms)
        return false;
    for (int t = 0; t < a->n_terms; t++)
        if (!sri_kernel_same_kind(&a->term[t], &b->term[t]) || a->term[t].user != b->term[t].user)
            return false;
    return true;
}

bool sri_kernel_same_kind(const sri_kernel_term *a, const sri_kernel_term *b)
{
    return a->ops == b->ops && a->times == b->times && sri_picked_same(a->columns, b->columns);
}

const sri_kernel_grid *sri_kernel_family_of(const sri_kernel_grid *grid, const sri_kernel *kernel)
{
    while (grid->next && !sri_kernel_same_family(&grid->base, kernel))
        grid = grid->next;
    return grid;
}

void sri_kernel_families_leave(sri_kernel_grid *grid)
{
    if (grid->next)
        sri_kernel_grid_free(grid->next);
    sri_free(grid->next);
    grid->next = NULL;
}

void sri_kernel_families_fit(sri_kernel_grid *grid, int64_t p)
{
    while (grid->next) {
        const int64_t most = grid->next->base.term[0].ops->most_columns;
        if (!most || p <= most) {
            grid = grid->next;
            continue;
        }
        sri_kernel_grid *gone = grid->next;
        grid->next = gone->next;
        gone->next = NULL;
        sri_kernel_grid_free(gone);
        sri_free(gone);
    }
}
