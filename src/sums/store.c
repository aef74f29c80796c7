#include "sums/store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "sums/sums_file.h"

static const char BASIS_MARK[] = "specregB", SUMS_MARK[] = "specregS";
static const int64_t MOST_KERNELS = 10000;

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list) != 0)
        list++;
    return *list;
}

/* How much of the computer a call may take is for its caller to say, not for a file of others. */
static bool is_of_the_computer(const char *name)
{
    static const char *const names[] = {"threads", "memory", "max-expansion", "calibrate", NULL};
    return is_one_of(name, names);
}

specreg_status sri_sums_basis_options_text(specreg_context *ctx, const specreg_options *options,
                                           char **out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    for (int i = 0; options && specreg_option_at(i); i++)
        if (options->value[i] && !is_of_the_computer(specreg_option_at(i)->name))
            SRI_TRY(sri_buffer_print(ctx, &text, "%s=%s\n", specreg_option_at(i)->name,
                                     options->value[i]));
    SRI_TRY(sri_buffer_print(ctx, &text, "%s", ""));
    SRI_MOVE(*out, text.data);
done:
    sri_buffer_free(&text);
    return st;
}

/* Whether a value has these letters somewhere, whatever blanks stand between them: those that read
 * it take blanks away. */
static bool has_letters(const char *value, const char *letters)
{
    for (; *value; value++) {
        const char *at = value, *wanted = letters;
        for (; *at && *wanted; at++)
            if (*at == *wanted)
                wanted++;
            else if (wanted == letters || !isspace((unsigned char)*at))
                break;
        if (!*wanted)
            return true;
    }
    return false;
}

/* Options that name files.  A basis may come from others, and must not say what else is read or
 * written. */
static bool names_a_file(const char *name, const char *value)
{
    static const char *const always[] = {"checkpoint", "features-file", "unlabelled", NULL};
    static const char *const words[] = {"names", "numbers", NULL};
    static const char *const marks[] = {"file:", "file=", "splits:", "ida:", NULL};
    if (strcmp(name, "labels") == 0)
        return !is_one_of(value, words);
    for (int i = 0; marks[i]; i++)
        if (has_letters(value, marks[i]))
            return true;
    return is_one_of(name, always);
}

specreg_status sri_sums_basis_options_set(specreg_context *ctx, const sri_sums_basis *basis,
                                          specreg_options *options)
{
    specreg_status st = SPECREG_OK;
    char *text = NULL, *next;
    SRI_STRDUP(ctx, text, basis->options);
    for (char *line = text; *line; line = next) {
        char *end = strchr(line, '\n'), *value = strchr(line, '=');
        SRI_REQUIRE(ctx, end && value && value < end, SPECREG_E_FORMAT,
                    "the options of the basis are damaged");
        *end = *value++ = 0;
        next = end + 1;
        SRI_REQUIRE(ctx, !names_a_file(line, value), SPECREG_E_ARG,
                    "%s: a basis cannot have options that name files", line);
        const int which = sri_option_index(line);
        if ((which < 0 || !options->value[which]) && !is_of_the_computer(line))
            SRI_TRY(specreg_options_set(ctx, options, line, value));
    }
done:
    sri_free(text);
    return st;
}

/* Whether a file of this name, in a folder, stays there. */
static bool is_plain_name(const char *name, int64_t size)
{
    return size > 0 && size <= 200 && (int64_t)strlen(name) == size && !strchr(name, '/') &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

specreg_status sri_sums_basis_make(specreg_context *ctx, const char *path,
                                   const specreg_options *options, sri_sums_basis *out)
{
    specreg_status st = SPECREG_OK;
    FILE *file = NULL;
    const char *slash = strrchr(path, '/');
    *out = (sri_sums_basis){0};
    SRI_TRY(sri_sums_basis_options_text(ctx, options, &out->options));
    SRI_STRDUP(ctx, out->name, slash ? slash + 1 : path);
    SRI_REQUIRE(ctx, is_plain_name(out->name, (int64_t)strlen(out->name)), SPECREG_E_ARG,
                "%s: a basis keeps the name of its file, which has no or too many letters", path);
    file = fopen(path, "rb");
    SRI_REQUIRE(ctx, file, SPECREG_E_IO, "%s: cannot be opened", path);
    SRI_REQUIRE(ctx, fseek(file, 0, SEEK_END) == 0 && (out->size = ftell(file)) >= 0, SPECREG_E_IO,
                "%s: only files can be the first rows of a basis", path);
    rewind(file);
    SRI_ALLOC(ctx, out->rows, out->size, 1);
    SRI_REQUIRE(ctx, fread(out->rows, 1, (size_t)out->size, file) == (size_t)out->size,
                SPECREG_E_IO, "%s: cannot be read", path);
done:
    if (file)
        fclose(file);
    if (st != SPECREG_OK)
        sri_sums_basis_free(out);
    return st;
}

static void put_basis(sri_sums_writer *w, const sri_sums_basis *basis)
{
    sri_put_piece(w, basis->options, (int64_t)strlen(basis->options));
    sri_put_piece(w, basis->name, (int64_t)strlen(basis->name));
    sri_put_piece(w, basis->rows, basis->size);
}

static specreg_status get_basis(sri_sums_reader *r, sri_sums_basis *out)
{
    int64_t size;
    SRI_CALL(sri_get_piece(r, &out->options, &size));
    SRI_CALL(sri_get_piece(r, &out->name, &size));
    if (!is_plain_name(out->name, size))
        return sri_read_broken(r, "an impossible name of the first rows");
    return sri_get_piece(r, &out->rows, &out->size);
}

specreg_status sri_sums_basis_write(specreg_context *ctx, const sri_sums_basis *basis,
                                    const char *path)
{
    sri_sums_writer w;
    SRI_CALL(sri_begin_writing(ctx, path, BASIS_MARK, &w));
    put_basis(&w, basis);
    return sri_end_writing(&w);
}

specreg_status sri_sums_basis_read(specreg_context *ctx, const char *path, sri_sums_basis *out)
{
    sri_sums_reader r;
    *out = (sri_sums_basis){0};
    specreg_status st = sri_begin_reading(ctx, path, BASIS_MARK, "basis", &r);
    if (st == SPECREG_OK)
        st = get_basis(&r, out);
    if (st == SPECREG_OK)
        st = sri_end_reading(&r);
    sri_stream_close(r.from);
    if (st != SPECREG_OK)
        sri_sums_basis_free(out);
    return st;
}

void sri_sums_basis_free(sri_sums_basis *basis)
{
    sri_free(basis->rows);
    sri_free(basis->name);
    sri_free(basis->options);
    *basis = (sri_sums_basis){0};
}

static bool same_basis(const sri_sums_basis *a, const sri_sums_basis *b)
{
    return a->size == b->size && strcmp(a->options, b->options) == 0 &&
           strcmp(a->name, b->name) == 0 && memcmp(a->rows, b->rows, (size_t)a->size) == 0;
}

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(sri_digest));
}

/* Sorts blocks, and counts those that are there already. */
static int64_t sort_blocks(sri_digest *block, int64_t count)
{
    int64_t twice = 0;
    qsort(block, (size_t)count, sizeof *block, by_digest);
    for (int64_t k = 1; k < count; k++)
        twice += by_digest(&block[k], &block[k - 1]) == 0;
    return twice;
}

specreg_status sri_stored_write(specreg_context *ctx, sri_stored_sums *stored, const char *path)
{
    sri_sums_writer w;
    const int64_t twice = sort_blocks(stored->block, stored->blocks);
    SRI_CHECK(ctx, !twice, SPECREG_E_NUMERIC,
              "%lld of %lld blocks of rows come twice: sums take each row once", (long long)twice,
              (long long)stored->blocks);
    SRI_CALL(sri_begin_writing(ctx, path, SUMS_MARK, &w));
    put_basis(&w, &stored->basis);
    sri_put_number(&w, stored->kernels);
    sri_put_number(&w, stored->blocks);
    sri_put(&w, stored->block, stored->blocks * (int64_t)sizeof *stored->block);
    for (int64_t k = 0; k < stored->kernels; k++)
        sri_put_sums(&w, &stored->sums[k]);
    return sri_end_writing(&w);
}

static specreg_status get_stored(sri_sums_reader *r, sri_stored_sums *out)
{
    int64_t kernels;
    SRI_CALL(get_basis(r, &out->basis));
    SRI_CALL(sri_get_number(r, 1, MOST_KERNELS, &kernels));
    SRI_CALL(sri_get_number(r, 0, r->left / (int64_t)sizeof *out->block, &out->blocks));
    SRI_NEW(r->ctx, out->block, out->blocks, 1);
    SRI_CALL(sri_get(r, out->block, out->blocks * (int64_t)sizeof *out->block));
    SRI_NEW_ZERO(r->ctx, out->sums, kernels, 1);
    out->kernels = kernels;
    for (int64_t k = 0; k < kernels; k++) {
        SRI_CALL(sri_get_sums(r, &out->sums[k]));
    }
    return sri_end_reading(r);
}

specreg_status sri_stored_read(specreg_context *ctx, const char *path, sri_stored_sums *out)
{
    sri_sums_reader r;
    *out = (sri_stored_sums){0};
    specreg_status st = sri_begin_reading(ctx, path, SUMS_MARK, "sums", &r);
    if (st == SPECREG_OK)
        st = get_stored(&r, out);
    sri_stream_close(r.from);
    if (st != SPECREG_OK)
        sri_stored_free(out);
    return st;
}

void sri_stored_free(sri_stored_sums *stored)
{
    for (int64_t k = 0; stored->sums && k < stored->kernels; k++)
        sri_sums_free(&stored->sums[k]);
    sri_free(stored->sums);
    sri_free(stored->block);
    sri_sums_basis_free(&stored->basis);
    *stored = (sri_stored_sums){0};
}

/* Adds the blocks of the other, none of which may be there yet. */
static specreg_status add_blocks(specreg_context *ctx, sri_stored_sums *stored,
                                 const sri_stored_sums *other, const char *name)
{
    const int64_t had = stored->blocks;
    sri_digest *all;
    SRI_NEW(ctx, all, had + other->blocks, 1);
    memcpy(all, stored->block, (size_t)had * sizeof *all);
    memcpy(all + had, other->block, (size_t)other->blocks * sizeof *all);
    sri_free(stored->block);
    stored->block = all;
    stored->blocks = had + other->blocks;
    const int64_t twice = sort_blocks(all, stored->blocks);
    return twice ? sri_fail(ctx, SPECREG_E_NUMERIC,
                            "%s: %lld of its %lld blocks of rows are in the sums already", name,
                            (long long)twice, (long long)other->blocks)
                 : SPECREG_OK;
}

/* Takes the blocks of the other away, all of which must be there. */
static specreg_status remove_blocks(specreg_context *ctx, sri_stored_sums *stored,
                                    const sri_stored_sums *other, const char *name)
{
    int64_t kept = 0, found = 0;
    for (int64_t k = 0; k < stored->blocks; k++) {
        const bool goes = bsearch(&stored->block[k], other->block, (size_t)other->blocks,
                                  sizeof *other->block, by_digest);
        found += goes;
        if (!goes)
            stored->block[kept++] = stored->block[k];
    }
    stored->blocks = kept;
    return found == other->blocks
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NUMERIC,
                          "%s: %lld of its %lld blocks of rows are not in the sums", name,
                          (long long)(other->blocks - found), (long long)other->blocks);
}

static specreg_status join_sums(specreg_context *ctx, sri_sums *a, const sri_sums *b, int sign)
{
    if (a->order != b->order || a->parts != b->parts ||
        memcmp(a->exponent, b->exponent, (size_t)a->order * sizeof *a->exponent) != 0)
        return sri_fail(
            ctx, SPECREG_E_NUMERIC,
            "sums of the same basis have other sizes: they come from different kinds of "
            "computers");
    for (int64_t f = 0; f < a->parts; f++) {
        a->rows[f] += sign * b->rows[f];
        SRI_CHECK(ctx, a->rows[f] >= 0 && a->rows[f] <= INT64_C(1) << 48, SPECREG_E_NUMERIC,
                  "the sums have an impossible number of rows together");
    }
    return sri_exact_merge(a->sum, b->sum, sri_sums_numbers(a), sign)
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NUMERIC, "the sums outgrew their scale");
}

specreg_status sri_stored_join(specreg_context *ctx, sri_stored_sums *stored,
                               const sri_stored_sums *other, int sign, const char *name)
{
    SRI_CHECK(ctx, same_basis(&stored->basis, &other->basis) && stored->kernels == other->kernels,
              SPECREG_E_ARG, "%s: the sums are of another basis", name);
    SRI_CALL((sign > 0 ? add_blocks : remove_blocks)(ctx, stored, other, name));
    for (int64_t k = 0; k < stored->kernels; k++)
        SRI_CALL(join_sums(ctx, &stored->sums[k], &other->sums[k], sign));
    return SPECREG_OK;
}
