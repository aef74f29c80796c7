/* The public calls on sums files: a basis, sums of parts, merging, taking back, and a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "model/fit_blocks.h"
#include "sums/store.h"

/* A folder for one file, which is gone when the file was read. */
typedef struct scratch_file {
    char folder[256], path[512];
} scratch_file;

static specreg_status write_scratch(specreg_context *ctx, const sri_sums_basis *basis,
                                    scratch_file *out)
{
    const char *const wish = getenv("TMPDIR"), *const tmp = wish && *wish ? wish : "/tmp";
    snprintf(out->folder, sizeof out->folder, "%s/specreg-XXXXXX", tmp);
    if (!mkdtemp(out->folder)) {
        out->folder[0] = '\0'; /* nothing to remove */
        return sri_fail(ctx, SPECREG_E_IO, "no folder can be made in %s", tmp);
    }
    snprintf(out->path, sizeof out->path, "%s/%.200s", out->folder, basis->name);
    FILE *file = fopen(out->path, "wb");
    const bool good =
        file && fwrite(basis->rows, 1, (size_t)basis->size, file) == (size_t)basis->size;
    const bool closed = file && fclose(file) == 0;
    return good && closed ? SPECREG_OK
                          : sri_fail(ctx, SPECREG_E_IO, "%s: cannot be written", out->path);
}

static void remove_scratch(const scratch_file *scratch)
{
    if (scratch->path[0])
        unlink(scratch->path);
    if (scratch->folder[0])
        rmdir(scratch->folder);
}

/* The first rows of a basis as a table. */
static specreg_status read_first_rows(specreg_context *ctx, const sri_sums_basis *basis,
                                      const specreg_options *options, specreg_table **out)
{
    scratch_file scratch = {0};
    specreg_status st = write_scratch(ctx, basis, &scratch);
    if (st == SPECREG_OK)
        st = specreg_table_read(ctx, scratch.path, options, out);
    remove_scratch(&scratch);
    if (st != SPECREG_OK)
        return st;
    char *name = sri_strdup(ctx, basis->name); /* not the folder that is gone */
    if (!name)
        return SPECREG_E_NOMEM;
    sri_free((*out)->source);
    (*out)->source = name;
    return SPECREG_OK;
}

/* Options that may be other than those of the basis: how much of the computer is used, how files
 * are read, and, of a fit, what is asked of the sums. */
static const char *const free_options[] = {"threads",   "memory",    "max-expansion", "format",
                                           "calibrate", "filter",    "param",         "select",
                                           "rule",      "criterion", "engine",        "linalg"};
enum { FREE_OF_ADD = 5, FREE_OF_FIT = sizeof free_options / sizeof *free_options };

static bool is_free(const char *name, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, free_options[i]) == 0)
            return true;
    return false;
}

/* The options of the basis, and of the caller those that are free; others must agree. */
static specreg_status join_options(specreg_context *ctx, const sri_sums_basis *basis,
                                   const specreg_options *options, int n_free,
                                   specreg_options **out)
{
    SRI_CALL(specreg_options_new(ctx, out));
    for (int i = 0; options && i < SRI_OPT_COUNT; i++)
        if (options->value[i] && is_free(specreg_option_at(i)->name, n_free))
            SRI_CALL(specreg_options_set(ctx, *out, specreg_option_at(i)->name, options->value[i]));
    SRI_CALL(sri_sums_basis_options_set(ctx, basis, *out));
    for (int i = 0; options && i < SRI_OPT_COUNT; i++)
        SRI_CHECK(ctx,
                  !options->value[i] ||
                      ((*out)->value[i] && strcmp((*out)->value[i], options->value[i]) == 0),
                  SPECREG_E_ARG, "%s: the basis of the sums has fixed it",
                  specreg_option_at(i)->name);
    return SPECREG_OK;
}

/* A call with the options of a basis, and its first rows. */
typedef struct based_call {
    specreg_options *options;
    sri_call call;
    specreg_table *table;
} based_call;

static specreg_status based_enter(specreg_context *ctx, const sri_sums_basis *basis,
                                  const specreg_options *options, int n_free, based_call *out)
{
    *out = (based_call){0};
    SRI_CALL(join_options(ctx, basis, options, n_free, &out->options));
    SRI_CALL(read_first_rows(ctx, basis, out->options, &out->table));
    SRI_CALL(sri_call_enter(ctx, out->options, &out->call));
    const sri_approx *approx = &out->call.recipe->search.approx;
    return approx->kind == SRI_APPROX_RECTANGLE && approx->m && approx->solver != SRI_SOLVER_CG
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG, "sums need --approx rectangle:m=COUNT");
}

static void based_leave(based_call *b)
{
    sri_call_leave(&b->call);
    specreg_table_free(b->table);
    specreg_options_free(b->options);
}

specreg_status specreg_sums_init(specreg_context *ctx, const char *sample,
                                 const specreg_options *options, const char *basis_path)
{
    SRI_ARGS(ctx, sample, basis_path);
    specreg_status st = SPECREG_OK;
    sri_sums_basis basis = {0};
    based_call b = {0};
    SRI_TRY(sri_sums_basis_make(ctx, sample, options, &basis));
    SRI_TRY(based_enter(ctx, &basis, options, FREE_OF_ADD, &b));
    SRI_TRY(sri_sums_try_basis(ctx, &b.call, b.table));
    SRI_TRY(sri_sums_basis_write(ctx, &basis, basis_path));
done:
    based_leave(&b);
    sri_sums_basis_free(&basis);
    return st;
}

specreg_status specreg_sums_add(specreg_context *ctx, const char *basis_path,
                                const char *const *parts, int64_t count,
                                const specreg_options *options, const char *sums_path)
{
    SRI_ARGS(ctx, basis_path, parts, sums_path);
    specreg_status st = SPECREG_OK;
    sri_stored_sums stored = {0};
    sri_blocks *blocks = NULL;
    based_call b = {0};
    SRI_TRY(sri_sums_basis_read(ctx, basis_path, &stored.basis));
    SRI_TRY(based_enter(ctx, &stored.basis, options, FREE_OF_ADD, &b));
    SRI_TRY(sri_blocks_open(ctx, parts, count, b.options, &blocks));
    SRI_TRY(sri_sums_add_blocks(ctx, &b.call, b.table, blocks, &stored));
    SRI_TRY(sri_stored_write(ctx, &stored, sums_path));
done:
    sri_blocks_free(blocks);
    based_leave(&b);
    sri_stored_free(&stored);
    return st;
}

/* The first file, with the others added or taken away. */
static specreg_status join_files(specreg_context *ctx, const char *const *paths, int64_t count,
                                 int sign, const char *out)
{
    specreg_status st = SPECREG_OK;
    sri_stored_sums all = {0}, next = {0};
    SRI_TRY(sri_stored_read(ctx, paths[0], &all));
    for (int64_t k = 1; k < count; k++) {
        SRI_TRY(sri_stored_read(ctx, paths[k], &next));
        SRI_TRY(sri_stored_join(ctx, &all, &next, sign, paths[k]));
        sri_stored_free(&next);
    }
    SRI_TRY(sri_stored_write(ctx, &all, out));
done:
    sri_stored_free(&next);
    sri_stored_free(&all);
    return st;
}

specreg_status specreg_sums_merge(specreg_context *ctx, const char *const *paths, int64_t count,
                                  const char *out)
{
    SRI_ARGS(ctx, paths, out);
    SRI_CHECK(ctx, count > 0, SPECREG_E_ARG, "there are no sums to merge");
    return join_files(ctx, paths, count, 1, out);
}

specreg_status specreg_sums_subtract(specreg_context *ctx, const char *all, const char *part,
                                     const char *out)
{
    SRI_ARGS(ctx, all, part, out);
    return join_files(ctx, (const char *const[]){all, part}, 2, -1, out);
}

specreg_status specreg_sums_info(specreg_context *ctx, const char *path, specreg_sums_facts *out)
{
    SRI_ARGS(ctx, path, out);
    sri_stored_sums stored;
    SRI_CALL(sri_stored_read(ctx, path, &stored));
    const sri_sums *s = &stored.sums[0];
    *out = (specreg_sums_facts){.struct_size = sizeof *out,
                                .kernels = stored.kernels,
                                .centres = s->at.r,
                                .parts = s->parts,
                                .blocks = stored.blocks,
                                .block_rows = SRI_BLOCK_ROWS};
    for (int64_t f = 0; f < s->parts; f++)
        out->rows += s->rows[f];
    sri_stored_free(&stored);
    return SPECREG_OK;
}

specreg_status specreg_fit_sums(specreg_context *ctx, const char *path,
                                const specreg_options *options, specreg_model **out)
{
    SRI_MAKES(ctx, out, path);
    specreg_status st = SPECREG_OK;
    sri_stored_sums stored = {0};
    based_call b = {0};
    SRI_TRY(sri_stored_read(ctx, path, &stored));
    SRI_TRY(based_enter(ctx, &stored.basis, options, FREE_OF_FIT, &b));
    SRI_TRY(sri_fit_stored(ctx, &b.call, b.table, &stored, out));
done:
    based_leave(&b);
    sri_stored_free(&stored);
    return st;
}
