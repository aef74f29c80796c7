/* A kernel's text form: a sum of products, `0.5*rbf:sigma={1,2}*linear:columns=a,b + laplace`. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "kernel/registry.h"

enum { MOST_CANDIDATES = 1000000 };

/* The end of a term: a '+' outside braces that is not the sign of an exponent (1e+3). */
static const char *term_end(const char *s)
{
    int depth = 0;
    for (const char *c = s; *c; c++) {
        depth += *c == '{';
        depth -= *c == '}' && depth > 0;
        const bool exponent = c - s >= 2 && (c[-1] == 'e' || c[-1] == 'E') &&
                              (isdigit((unsigned char)c[-2]) || c[-2] == '.');
        if (*c == '+' && depth == 0 && !exponent)
            return c;
    }
    return s + strlen(s);
}

static specreg_status check_value(specreg_context *ctx, const sri_kernel_term *term, int i,
                                  double v)
{
    char what[64];
    const sri_param param = sri_kernel_param_at(term, i);
    snprintf(what, sizeof what, "kernel %.40s", sri_kernel_term_name(term));
    return sri_param_check(ctx, what, &param, v);
}

/* gamma of an rbf kernel, turned into sigma = 1 / sqrt(2 gamma). */
static specreg_status gamma_to_sigma(specreg_context *ctx, sri_values *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        if (!(list->v[i] > 0))
            return sri_fail(ctx, SPECREG_E_ARG, "kernel rbf: gamma must be greater than 0, not %g",
                            list->v[i]);
        list->v[i] = sqrt(0.5 / list->v[i]);
    }
    return SPECREG_OK;
}

/* The place of a key among the term's parameters; gamma of rbf goes to sigma. */
static specreg_status find_param(specreg_context *ctx, const sri_kernel_term *term, const char *key,
                                 int *index, bool *is_gamma)
{
    const char *names[SRI_KERNEL_PARAMS];
    const int count = sri_kernel_param_count(term);
    *is_gamma = term->ops->other_width && strcmp(key, term->ops->other_width) == 0;
    for (int i = 0; i < count; i++) {
        names[i] = sri_kernel_param_at(term, i).name;
        if (strcmp(names[i], *is_gamma ? "sigma" : key) == 0) {
            *index = i;
            return SPECREG_OK;
        }
    }
    char what[64];
    snprintf(what, sizeof what, "parameter of kernel %.30s", sri_kernel_term_name(term));
    return sri_fail_unknown(ctx, what, key, names, count);
}

static specreg_status parse_param(specreg_context *ctx, sri_kernel_grid *grid, int t, bool *given,
                                  const char *key, const char *value)
{
    sri_kernel_term *term = &grid->base.term[t];
    int i = 0;
    bool is_gamma;
    char what[96];
    if (!key)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel %s: write '%s' as key=value",
                        sri_kernel_term_name(term), value);
    SRI_CALL(find_param(ctx, term, key, &i, &is_gamma));
    SRI_CHECK(ctx, !given[i], SPECREG_E_ARG, "kernel %s: %s is given twice",
              sri_kernel_term_name(term), sri_kernel_param_at(term, i).name);
    given[i] = true;
    snprintf(what, sizeof what, "kernel %.40s: %.40s", sri_kernel_term_name(term), key);
    sri_values_free(&grid->list[t][i]);
    const sri_param param = sri_kernel_param_at(term, i);
    SRI_CALL(sri_width_parse(ctx, what, value, &grid->width[t][i]));
    if (grid->width[t][i].kind != SRI_WIDTH_GIVEN) {
        grid->is_auto[t][i] = false;
        return isnan(param.value) && strcmp(key, "sigma") == 0
                   ? SPECREG_OK
                   : sri_fail(ctx, SPECREG_E_ARG, "%s cannot be %s, which is for widths", what,
                              value);
    }
    SRI_CALL(sri_values_parse(ctx, what, value, &grid->list[t][i]));
    SRI_CHECK(ctx, grid->list[t][i].count > 0 || isnan(param.value), SPECREG_E_ARG,
              "%s cannot be auto", what);
    if (is_gamma)
        SRI_CALL(gamma_to_sigma(ctx, &grid->list[t][i]));
    grid->is_auto[t][i] = grid->list[t][i].count == 0;
    for (int64_t k = 0; k < grid->list[t][i].count; k++)
        SRI_CALL(check_value(ctx, term, i, grid->list[t][i].v[k]));
    return SPECREG_OK;
}

/* `columns=a`, or more names of its list, which commas have taken apart. */
static specreg_status parse_columns(specreg_context *ctx, sri_kernel_grid *grid, int t,
                                    const char *value)
{
    specreg_status st = SPECREG_OK;
    sri_picked *before = grid->columns[t];
    sri_buffer list = {0};
    const size_t length = strlen(value);
    const bool braces = length > 1 && value[0] == '{' && value[length - 1] == '}';
    if (before)
        SRI_TRY(sri_buffer_print(ctx, &list, "%s,", before->text));
    SRI_TRY(sri_buffer_print(ctx, &list, "%.*s", (int)(length - 2 * braces), value + braces));
    grid->columns[t] = NULL;
    sri_picked_free(before);
    SRI_TRY(sri_picked_new(ctx, list.data, &grid->columns[t]));
    grid->base.term[t].columns = grid->columns[t];
done:
    sri_buffer_free(&list);
    return st;
}

/* What stands after the colon. */
static specreg_status parse_args(specreg_context *ctx, sri_kernel_grid *grid, int t,
                                 const sri_spec *spec)
{
    sri_kernel_term *term = &grid->base.term[t];
    bool given[SRI_KERNEL_PARAMS] = {false}, in_list = false;
    for (int i = 0; i < sri_kernel_param_count(term); i++)
        grid->is_auto[t][i] = isnan(term->param[i]);
    for (int i = 0; i < spec->count; i++) {
        const char *key = spec->arg[i].key, *value = spec->arg[i].value;
        const bool columns = key && strcmp(key, "columns") == 0;
        SRI_CHECK(ctx, !columns || !grid->columns[t], SPECREG_E_ARG,
                  "kernel %s: columns is given twice", sri_kernel_term_name(term));
        in_list = columns || (in_list && !key);
        SRI_CALL(in_list ? parse_columns(ctx, grid, t, value)
                         : parse_param(ctx, grid, t, given, key, value));
    }
    return SPECREG_OK;
}

static specreg_status parse_kernel(specreg_context *ctx, sri_kernel_grid *grid, const char *text,
                                   bool times)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    SRI_REQUIRE(ctx, grid->base.n_terms < SRI_KERNEL_TERMS, SPECREG_E_ARG,
                "kernel: at most %d terms and factors", (int)SRI_KERNEL_TERMS);
    const int t = grid->base.n_terms++;
    grid->base.term[t].weight = 1;
    grid->base.term[t].times = times;
    SRI_TRY(sri_spec_parse(ctx, "kernel", text, &spec));
    SRI_TRY(sri_kernel_term_named(ctx, spec.name, &grid->base.term[t]));
    SRI_TRY(parse_args(ctx, grid, t, &spec));
done:
    sri_spec_free(&spec);
    return st;
}

/* A factor of a product is a number or a kernel. */
static specreg_status parse_factor(specreg_context *ctx, sri_kernel_grid *grid, char *text,
                                   int first, double *weight)
{
    double number;
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n && strchr(" \t", text[n - 1]);)
        text[--n] = '\0';
    SRI_CHECK(ctx, *text != '(', SPECREG_E_ARG,
              "kernel: '%s': there are no parentheses, write a*c + b*c for (a + b)*c", text);
    if (!sri_parse_double(text, strlen(text), &number))
        return parse_kernel(ctx, grid, text, grid->base.n_terms > first);
    SRI_CHECK(ctx, number > 0 && isfinite(number), SPECREG_E_ARG,
              "kernel: a weight must be greater than 0, not %g", number);
    *weight *= number;
    return SPECREG_OK;
}

/* The end of a factor: a '*' outside braces. */
static char *factor_end(char *s)
{
    for (int depth = 0; *s && !(*s == '*' && depth == 0); s++)
        depth += *s == '{' ? 1 : *s == '}' && depth > 0 ? -1 : 0;
    return s;
}

static specreg_status parse_product(specreg_context *ctx, sri_kernel_grid *grid, char *text)
{
    const int first = grid->base.n_terms;
    double weight = 1;
    for (bool more = true; more;) {
        char *end = factor_end(text);
        more = *end == '*';
        *end = '\0';
        SRI_CALL(parse_factor(ctx, grid, text, first, &weight));
        text = end + 1;
    }
    SRI_CHECK(ctx, grid->base.n_terms > first, SPECREG_E_ARG,
              "kernel: the number %g stands without a kernel", weight);
    grid->base.term[first].weight = weight;
    return SPECREG_OK;
}

/* The product of the lists, kept from overflowing and from outlasting anyone's patience. */
static specreg_status check_count(specreg_context *ctx, const sri_kernel_grid *grid)
{
    double count = 1;
    for (int t = 0; t < grid->n_outputs; t++)
        for (int i = 0; i < SRI_OUTPUTS_PARAMS; i++)
            count *=
                grid->outputs[t].list[i].count > 1 ? (double)grid->outputs[t].list[i].count : 1;
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            count *= grid->list[t][i].count > 1 ? (double)grid->list[t][i].count : 1;
    if (count > MOST_CANDIDATES)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel: these lists make %g candidates, at most %d",
                        count, (int)MOST_CANDIDATES);
    return SPECREG_OK;
}

typedef specreg_status term_fn(specreg_context *ctx, sri_kernel_grid *grid, char *term);

/* Each term of a sum, which `take` may change. */
static specreg_status take_terms(specreg_context *ctx, const char *text, term_fn *take,
                                 sri_kernel_grid *grid)
{
    specreg_status st = SPECREG_OK;
    const char *end;
    char *term = NULL;
    do {
        end = term_end(text);
        SRI_TAKEN(term, sri_strndup(ctx, text, (size_t)(end - text)));
        SRI_TRY(take(ctx, grid, term));
        sri_free(term);
        term = NULL;
        text = end + 1;
    } while (*end);
done:
    sri_free(term);
    return st;
}

specreg_status sri_kernel_family_parse(specreg_context *ctx, const char *text, sri_kernel_grid *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_kernel_grid){0};
    SRI_TRY(take_terms(ctx, text, parse_product, out));
    SRI_TRY(sri_kernel_form_check(ctx, &out->base));
    SRI_TRY(check_count(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_kernel_grid_free(out);
    return st;
}

static specreg_status parse_outputs(specreg_context *ctx, sri_kernel_grid *grid, char *term)
{
    if (grid->n_outputs == SRI_KERNEL_TERMS)
        return sri_fail(ctx, SPECREG_E_ARG, "outputs: at most %d terms in a sum",
                        (int)SRI_KERNEL_TERMS);
    const specreg_status st = sri_outputs_parse(ctx, term, &grid->outputs[grid->n_outputs]);
    grid->n_outputs += st == SPECREG_OK;
    return st;
}

specreg_status sri_kernel_grid_outputs(specreg_context *ctx, const char *text,
                                       sri_kernel_grid *grid)
{
    SRI_CALL(take_terms(ctx, text, parse_outputs, grid));
    const int products = sri_product_count(&grid->base);
    SRI_CHECK(ctx, grid->n_outputs == 1 || grid->n_outputs == products, SPECREG_E_ARG,
              "outputs: a sum of %d, but the kernel is a sum of %d: each of its terms takes one",
              grid->n_outputs, products);
    for (int t = 0; t < grid->n_outputs; t++)
        SRI_CHECK(ctx, grid->n_outputs == 1 || grid->outputs[t].ops->file != SRI_OUTPUTS_LEARNED,
                  SPECREG_E_ARG,
                  "outputs learn: one matrix is learned for the whole kernel, not for a term of a "
                  "sum");
    return check_count(ctx, grid);
}
