/* specreg: learning by spectral regularization.
 *
 *     specreg_context *ctx;   specreg_table *train;   specreg_model *model;
 *     specreg_context_new(&ctx);
 *     specreg_table_read(ctx, "train.csv", NULL, &train);
 *     specreg_fit(ctx, train, NULL, &model);
 *     specreg_model_save(ctx, model, "model.srm");
 *
 * CONVENTIONS
 * Calls return a specreg_status: 0, or negative with a text in
 * specreg_last_error(ctx).  Parameters come in the order: context, inputs,
 * options, outputs.  A failed call sets its pointer outputs to NULL; arrays it
 * was filling are unspecified.  Arrays of yours that are filled come with their
 * capacity, in numbers: one that is too small is SPECREG_E_SHAPE, and nothing
 * is written.  NULL is SPECREG_E_ARG except where a comment allows it; calls
 * without a status then return 0, NaN or NULL.  Every _free() accepts NULL.
 * A context belongs to one thread at a time; tables and models never change
 * once built and may be shared between threads.
 * The library prints nothing, never exits and keeps no state outside the
 * objects you hold, with one exception: thread counts.  A call that computes
 * sets those of OpenMP (of the calling thread) and of OpenBLAS (of the whole
 * process) as the option `threads` says, and puts both back before it returns,
 * also when it fails.  Calls on several threads at once share OpenBLAS: one that
 * asks for another number of threads than those it finds running has theirs if
 * that is smaller, else one.  With `threads` = `keep` it never sets them: it uses
 * the counts that it finds, which must not change while calls run.
 * The environment variables SPECREG_CPU and SPECREG_LINALG are read once. */
#ifndef SPECREG_H
#define SPECREG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SPECREG_API __attribute__((visibility("default")))
#else
#define SPECREG_API
#endif

#define SPECREG_VERSION_MAJOR 0
#define SPECREG_VERSION_MINOR 1
#define SPECREG_VERSION_PATCH 0
#define SPECREG_VERSION "0.1.0"

/* ------------------------------------------------------------------ status
 * Released values never change.  The enum and the texts expand this list. */
#define SPECREG_STATUS_LIST(X)                               \
    X(SPECREG_OK, 0, "success")                              \
    X(SPECREG_E_ARG, -1, "invalid argument or option")       \
    X(SPECREG_E_SHAPE, -2, "shapes or columns do not agree") \
    X(SPECREG_E_NOMEM, -3, "out of memory")                  \
    X(SPECREG_E_IO, -4, "cannot read or write")              \
    X(SPECREG_E_FORMAT, -5, "malformed input")               \
    X(SPECREG_E_NUMERIC, -6, "numerical failure")            \
    X(SPECREG_E_UNAVAILABLE, -7, "not available")            \
    X(SPECREG_E_CANCELLED, -8, "cancelled by the caller")

typedef enum specreg_status {
#define X(name, value, text) name = value,
    SPECREG_STATUS_LIST(X)
#undef X
        SPECREG_STATUS_LAST_ = -9
} specreg_status;

typedef struct specreg_context specreg_context;
typedef struct specreg_options specreg_options;
typedef struct specreg_table specreg_table;
typedef struct specreg_model specreg_model;
typedef struct specreg_vocabulary specreg_vocabulary;
typedef struct specreg_topics specreg_topics;

/** The version of the library that is running, e.g. "0.1.0". */
SPECREG_API const char *specreg_version(void);
/** A short text for a status code. */
SPECREG_API const char *specreg_status_string(specreg_status status);
/** Frees a text that one of the calls below returned. */
SPECREG_API void specreg_string_free(char *text);
/** Frees the bytes that specreg_model_to_memory() returned. */
SPECREG_API void specreg_bytes_free(void *bytes);

/* ----------------------------------------------------------------- context */
/** A context: where errors, callbacks and registered functions are kept. */
SPECREG_API specreg_status specreg_context_new(specreg_context **out);
/** Where memory comes from: as malloc() and free(), with a payload of yours.  `allocate` gives NULL
 * when there is none, and blocks aligned for any type; both may be called from several threads. */
typedef struct specreg_allocator {
    void *(*allocate)(void *payload, size_t bytes);
    void (*release)(void *payload, void *block);
    void *payload;
} specreg_allocator;
/** A context with an allocator of your own (NULL: the C library's).  Everything that is made with
 * the context comes from it and goes back to it, also tables and models that outlive the context:
 * the payload must outlive them.  Other libraries (BLAS, Jansson, zlib) keep their own. */
SPECREG_API specreg_status specreg_context_new_with(const specreg_allocator *allocator,
                                                    specreg_context **out);
/** Frees a context; what was made with it stays. */
SPECREG_API void specreg_context_free(specreg_context *ctx);
/** The message of the last failure on this context: one line that says where and what. */
SPECREG_API const char *specreg_last_error(const specreg_context *ctx);

/** How far a long call is. */
typedef struct specreg_progress {
    const char *stage;   /* "search", "solve", "predict"; never NULL         */
    int64_t step, steps; /* work done, 0 or more, and work in all            */
    double seconds;      /* since the stage began                            */
} specreg_progress;

/** Called now and then during long work, on the thread that made the call.
 * Return nonzero to cancel: the running call then gives SPECREG_E_CANCELLED. */
typedef int specreg_progress_fn(const specreg_progress *progress, void *payload);
/** Sets the callback that sees long work, and can cancel it; NULL: none. */
SPECREG_API void specreg_set_progress(specreg_context *ctx, specreg_progress_fn *fn, void *payload);

/** Called by specreg_fit before its search, with records as JSON: first the data as understood
 * ("data" alone), then also what specreg_plan says, or "approx" and "seconds" of fewer centres than
 * rows.  A search that cannot be planned gives the first only. */
typedef void specreg_plan_fn(const char *json, void *payload);
/** Sets the callback that learns what a fit is going to do; NULL: none. */
SPECREG_API void specreg_set_plan(specreg_context *ctx, specreg_plan_fn *fn, void *payload);

/** Called with one line of text for messages that are not errors.  Lines that begin with "note: "
 * matter to everyone who uses the result; the command shows them without --verbose. */
typedef void specreg_log_fn(const char *line, void *payload);
/** Sets the callback for notes; NULL: none. */
SPECREG_API void specreg_set_log(specreg_context *ctx, specreg_log_fn *fn, void *payload);

/* ----------------------------------------------------------------- options
 * Options are name = text, with the names and values of the command line:
 *     specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.5,1,2}");
 * NULL in place of an options object means all defaults. */

/** Which calls use an option: a set of bits. */
enum {
    SPECREG_FOR_READ = 1,      /* reading a table                       */
    SPECREG_FOR_FIT = 2,       /* fit, path, spectrum, plan             */
    SPECREG_FOR_PREDICT = 4,   /* predict, evaluate                     */
    SPECREG_FOR_CV = 8,        /* cv                                    */
    SPECREG_FOR_FEATURES = 16, /* vocabulary, topics, kpca              */
    SPECREG_FOR_EVAL = 32,     /* evaluate                              */
    SPECREG_FOR_INFO = 64,     /* specreg_table_record                  */
    SPECREG_FOR_EXPLAIN = 128, /* importance, partial                   */
    SPECREG_FOR_ALL = 255
};

typedef struct specreg_option_info {
    const char *name;          /* "kernel"                              */
    const char *default_value; /* "rbf:sigma=auto"                      */
    const char *argument;      /* placeholder in help: "SPEC"; "" for a flag */
    const char *help;          /* one or more sentences                 */
    unsigned scope;            /* SPECREG_FOR_... bits                  */
} specreg_option_info;

/** The table of options: index 0, 1, ... until NULL. */
SPECREG_API const specreg_option_info *specreg_option_at(int index);

/** Options that are all at their defaults. */
SPECREG_API specreg_status specreg_options_new(specreg_context *ctx, specreg_options **out);
/** Frees options. */
SPECREG_API void specreg_options_free(specreg_options *options);
/** Sets an option after checking that it exists; the value is checked by the call that uses it.
 * A value of NULL restores the default. */
SPECREG_API specreg_status specreg_options_set(specreg_context *ctx, specreg_options *options,
                                               const char *name, const char *value);
/** The value that is set, or the default; NULL for a name that does not exist. */
SPECREG_API const char *specreg_options_get(const specreg_options *options, const char *name);

/* -------------------------------------------------------------------- data */

/** A row-major matrix owned by the caller, read but never kept. */
typedef struct specreg_view {
    const double *data;
    int64_t rows, cols;
    int64_t ld; /* elements from row to row, >= cols */
} specreg_view;

/** A row-major matrix of floats, likewise. */
typedef struct specreg_float_view {
    const float *data;
    int64_t rows, cols;
    int64_t ld;
} specreg_float_view;

/** A sparse matrix row by row (CSR): row i has the entries start[i] .. start[i + 1] - 1, each with
 * its value and its column, counted from 0 and ascending within a row.  start[0] is 0. */
typedef struct specreg_csr_view {
    const double *value;
    const int64_t *start; /* rows + 1 */
    const int32_t *index;
    int64_t rows, cols;
} specreg_csr_view;

/** A matrix of doubles or floats in any layout: element (i, j) lies i * row_step + j * col_step
 * bytes from data.  Steps may be negative; columns one after the other (Fortran): row_step is 8. */
typedef struct specreg_strided_view {
    const void *data;
    int64_t rows, cols;
    int64_t row_step, col_step;
    int is_float; /* 1: float, 0: double */
} specreg_strided_view;

/** Data in arrays of yours, read but never kept.  What there is not is NULL:
 *     specreg_data data = {.struct_size = sizeof data, .X = &X, .labels = labels}; */
typedef struct specreg_data {
    size_t struct_size;    /* sizeof(specreg_data) */
    const specreg_view *X; /* the inputs: one of these three, or X_strided */
    const specreg_float_view *X_float;
    const specreg_csr_view *X_csr;         /* never written out */
    const specreg_view *Y;                 /* targets: numbers ...                          */
    const char *const *labels;             /* ... or a class for each row, NULL if missing  */
    const double *weights;                 /* for each row, 0 or more                       */
    const int64_t *groups;                 /* for each row: those of a group stay in one fold */
    const char *const *x_names;            /* of the columns, unless sparse: x1 .. xp       */
    const char *const *y_names;            /* of the columns of Y: y, or y1 .. yT           */
    const specreg_strided_view *X_strided; /* the inputs in another layout          */
} specreg_data;

/** Reads CSV/TSV, LIBSVM, NPY/NPZ or HDF5 ("file.h5:/name"), plain, .gz or .zst; "-" is stdin.
 * Documents become a column `text` and, if they have labels, a column `label`.  A path is read as
 * documents if it is a folder, if the option "format" is "text", or if the option "text" is set and
 * the name does not tell the format.  Options used: those with SPECREG_FOR_READ. */
SPECREG_API specreg_status specreg_table_read(specreg_context *ctx, const char *path,
                                              const specreg_options *options, specreg_table **out);
/** Writes a table; the ending of the name gives the format, CSV by default.  Regular files are
 * replaced atomically; pipes and devices are written in place; "-" is stdout. */
SPECREG_API specreg_status specreg_table_write(specreg_context *ctx, const specreg_table *table,
                                               const char *path);
/** Writes a text unchanged; the file is complete or not there. */
SPECREG_API specreg_status specreg_text_write(specreg_context *ctx, const char *text,
                                              const char *path);
/** Copies arrays into a table.  Y may be NULL.  Names may be NULL: x1..xp, and y or y1..yT. */
SPECREG_API specreg_status specreg_table_from_arrays(specreg_context *ctx, const specreg_view *X,
                                                     const char *const *x_names,
                                                     const specreg_view *Y,
                                                     const char *const *y_names,
                                                     specreg_table **out);
/** Copies all that specreg_data can hold into a table: the inputs, then the targets or `label`,
 * `weights` and `group`.  Calls that learn from the table take the last two as these if the options
 * "weights" and "group" name them. */
SPECREG_API specreg_status specreg_table_from_data(specreg_context *ctx, const specreg_data *data,
                                                   specreg_table **out);
/** The same without a copy of the inputs: the table looks at them where they are, and they must
 * stay there unchanged until it is freed.  Targets, labels, weights and groups are copied. */
SPECREG_API specreg_status specreg_table_over_data(specreg_context *ctx, const specreg_data *data,
                                                   specreg_table **out);
/** The rows with the given 0-based numbers, in that order; a number may be repeated. */
SPECREG_API specreg_status specreg_table_select(specreg_context *ctx, const specreg_table *table,
                                                const int64_t *rows, int64_t count,
                                                specreg_table **out);
/** Inserts a text column before column `at` (0 .. cols): a text for each row, NULL if missing. */
SPECREG_API specreg_status specreg_table_insert_text(specreg_context *ctx, specreg_table *table,
                                                     int64_t at, const char *name,
                                                     const char *const *text);
/** Frees a table. */
SPECREG_API void specreg_table_free(specreg_table *table);
/** The number of rows. */
SPECREG_API int64_t specreg_table_rows(const specreg_table *table);
/** The number of columns, sparse ones included. */
SPECREG_API int64_t specreg_table_cols(const specreg_table *table);
/** The name of a column, counted from 0; NULL when there is no such column, or no memory for the
 * names of sparse ones. */
SPECREG_API const char *specreg_table_name(const specreg_table *table, int64_t col);
/** 1 if a column holds texts, 0 if numbers, or if there is no such column. */
SPECREG_API int specreg_table_is_text(const specreg_table *table, int64_t col);
/** The number in a cell; NaN where missing, out of range, or in a text column. */
SPECREG_API double specreg_table_number(const specreg_table *table, int64_t row, int64_t col);
/** The numbers of `count` columns from `first` on, row-major, of all rows; `out` has room for
 * `capacity`.  NaN where missing.  SPECREG_E_SHAPE for columns of texts, or that are not there. */
SPECREG_API specreg_status specreg_table_numbers(specreg_context *ctx, const specreg_table *table,
                                                 int64_t first, int64_t count, double *out,
                                                 int64_t capacity);
/** The text in a cell; NULL where missing, out of range, or in a number column. */
SPECREG_API const char *specreg_table_text(const specreg_table *table, int64_t row, int64_t col);

/* -------------------------------------------------------------------- text
 * From documents to sparse columns, one for each word.  specreg_fit with the option "text" does
 * this itself and keeps the vocabulary in the model. */

/** Chooses the words of a vocabulary, from a table with a text column.  If the labels are classes
 * it takes the words with the highest mutual information, else the most frequent ones.  Options
 * used: those with SPECREG_FOR_FEATURES; "text" = NULL or "auto" is all defaults. */
SPECREG_API specreg_status specreg_vocabulary_learn(specreg_context *ctx,
                                                    const specreg_table *documents,
                                                    const specreg_options *options,
                                                    specreg_vocabulary **out);
/** The documents as a table: their labels (or a column `y` of missing values) and a sparse column
 * for each word.  `json`, which may be NULL, receives a record: documents, words, nonzeros,
 * empty_documents, ... */
SPECREG_API specreg_status specreg_vocabulary_apply(specreg_context *ctx,
                                                    const specreg_vocabulary *vocabulary,
                                                    const specreg_table *documents,
                                                    const specreg_options *options,
                                                    specreg_table **out, char **json);
/** Writes a text file with a line for each word: word, document count, idf, mutual information. */
SPECREG_API specreg_status specreg_vocabulary_save(specreg_context *ctx,
                                                   const specreg_vocabulary *vocabulary,
                                                   const char *path);
/** Reads what specreg_vocabulary_save() wrote. */
SPECREG_API specreg_status specreg_vocabulary_load(specreg_context *ctx, const char *path,
                                                   specreg_vocabulary **out);
/** Frees a vocabulary. */
SPECREG_API void specreg_vocabulary_free(specreg_vocabulary *vocabulary);
/** The number of words. */
SPECREG_API int64_t specreg_vocabulary_size(const specreg_vocabulary *vocabulary);
/** The word of a sparse column, counted from 0; NULL if there is no such column. */
SPECREG_API const char *specreg_vocabulary_word(const specreg_vocabulary *vocabulary,
                                                int64_t index);

/* ------------------------------------------------------------------ topics
 * Probabilistic latent semantic analysis: a document is a mixture of topics, a topic a distribution
 * over words.  A document becomes a few numbers: the shares of its topics. */

/** Learns topics from documents (the option "text" chooses the words) or from a table of counts,
 * dense or sparse, with a row for each document.  Options used: those with SPECREG_FOR_FEATURES;
 * "plsa" = NULL or "auto" is all defaults.  The same seed gives the same topics with any number of
 * threads. */
SPECREG_API specreg_status specreg_topics_learn(specreg_context *ctx,
                                                const specreg_table *documents,
                                                const specreg_options *options,
                                                specreg_topics **out);
/** The shares of the topics in any documents: a table of their labels, if they have some, and
 * columns topic1, topic2, ...  A document without a known word gets the shares over all training
 * documents.  `json`, which may be NULL, receives a record. */
SPECREG_API specreg_status specreg_topics_apply(specreg_context *ctx, const specreg_topics *topics,
                                                const specreg_table *documents,
                                                const specreg_options *options, specreg_table **out,
                                                char **json);
/** Writes a text file: every word with its probability in each topic, then the vocabulary. */
SPECREG_API specreg_status specreg_topics_save(specreg_context *ctx, const specreg_topics *topics,
                                               const char *path);
/** Reads what specreg_topics_save() wrote. */
SPECREG_API specreg_status specreg_topics_load(specreg_context *ctx, const char *path,
                                               specreg_topics **out);
/** Frees topics. */
SPECREG_API void specreg_topics_free(specreg_topics *topics);
/** The number of topics. */
SPECREG_API int64_t specreg_topics_count(const specreg_topics *topics);
/** The share of a topic, counted from 0, in all documents; topics are sorted by it, the largest
 * first.  NaN if there is no such topic. */
SPECREG_API double specreg_topics_share(const specreg_topics *topics, int64_t topic);
/** The word with the `rank`-th largest probability in a topic (rank from 0).  Returns its column,
 * from 0, or -1 if there is none.  `name` receives the word, NULL if columns have no names; `name`
 * and `probability` may be NULL. */
SPECREG_API int64_t specreg_topics_word(const specreg_topics *topics, int64_t topic, int64_t rank,
                                        const char **name, double *probability);
/** The vocabulary of topics that were learned from documents, else NULL; owned by `topics`. */
SPECREG_API const specreg_vocabulary *specreg_topics_vocabulary(const specreg_topics *topics);
/** What `path` holds: "text" for a vocabulary, "plsa" for topics, "" for anything else. */
SPECREG_API specreg_status specreg_features_kind(specreg_context *ctx, const char *path,
                                                 const char **kind);

/* ------------------------------------------------------- your own functions
 * Kernels, filters and maps that are registered on a context are named in the
 * options like the built-in ones.  Definitions are copied, the payload pointer
 * is kept.  A loaded model that names one needs it registered before it can
 * predict. */

typedef struct specreg_param_def {
    const char *name;
    double default_value;
} specreg_param_def;

/** A block of kernel values to be computed: K[i * ld + j] = k(x_i, z_j), where row i of X begins at
 * X + i * p, row j of Z at Z + j * p. */
typedef struct specreg_kernel_block {
    const double *X, *Z;
    int64_t m, n, p; /* rows of X, rows of Z, numbers in each */
    double *K;
    int64_t ld; /* >= n */
} specreg_kernel_block;

/** A kernel of your own. */
typedef struct specreg_kernel_def {
    size_t struct_size; /* sizeof(specreg_kernel_def) */
    const char *name;
    /** k(x, z), symmetric and positive semi-definite. Called from several threads at once. */
    double (*eval)(const double *x, const double *z, int64_t p, const double *params,
                   void *payload);
    const specreg_param_def *params;
    int n_params; /* at most 6 */
    void *payload;
    /** NULL, or many values at once, in place of eval, which may then be NULL. */
    void (*block)(const specreg_kernel_block *block, const double *params, void *payload);
} specreg_kernel_def;

/** Registers a kernel of your own, which options then name. */
SPECREG_API specreg_status specreg_register_kernel(specreg_context *ctx,
                                                   const specreg_kernel_def *def);

/** A kernel of your own whose values are matrices: between outputs s and t of two rows it is entry
 * (s, t) of Gamma(x, z). */
typedef struct specreg_matrix_kernel_def {
    size_t struct_size; /* sizeof(specreg_matrix_kernel_def) */
    const char *name;
    /** Gamma(x, z) into `values`, outputs x outputs numbers, row-major.  Gamma(z, x) is its
     * transpose, and the matrix of all pairs of rows is positive semi-definite.  Called from
     * several threads at once. */
    void (*eval)(const double *x, const double *z, int64_t p, int64_t outputs, const double *params,
                 void *payload, double *values);
    const specreg_param_def *params;
    int n_params;    /* at most 6 */
    int64_t outputs; /* how many targets it is for, at most 64; 0: any number up to that */
    void *payload;
} specreg_matrix_kernel_def;

/** Registers such a kernel, for regressions.  In a sum with it scalar kernels are times I, in a
 * product they multiply all of Gamma. */
SPECREG_API specreg_status specreg_register_matrix_kernel(specreg_context *ctx,
                                                          const specreg_matrix_kernel_def *def);

/** A filter of your own. */
typedef struct specreg_filter_def {
    size_t struct_size; /* sizeof(specreg_filter_def) */
    const char *name;
    /** g at the eigenvalue s >= 0 of K/n for the path parameter: lambda > 0, or a whole number
     * t >= 1; bounded in s. */
    double (*g)(double s, double param, const double *params, void *payload);
    const specreg_param_def *params;
    int n_params; /* at most 6 */
    void *payload;
    const char *path; /* what the path runs over: "lambda" (also NULL), or "t" */
} specreg_filter_def;

/** Registers a filter of your own, which options then name. */
SPECREG_API specreg_status specreg_register_filter(specreg_context *ctx,
                                                   const specreg_filter_def *def);

/** A map of the inputs for each output: with the option outputs = "transform:map=NAME" the kernel
 * between outputs s and t is k(T_s(x), T_t(z)). */
typedef struct specreg_map_def {
    size_t struct_size; /* sizeof(specreg_map_def) */
    const char *name;
    /** z = T_output(x), p numbers each; outputs are numbered from 0 in the order of the targets.
     * The inputs are encoded, and scaled only if the option "scale" asks for it. */
    void (*apply)(const double *x, int64_t p, int64_t output, double *z, void *payload);
    void *payload;
    /** How many numbers z has; 0: p.  Rows of tasks keep their number. */
    int64_t columns;
} specreg_map_def;

/** Registers a map of your own.  A model that uses one can only be loaded after that. */
SPECREG_API specreg_status specreg_register_map(specreg_context *ctx, const specreg_map_def *def);

/* ------------------------------------------------------------------ models */

/** Searches kernel and regularization parameters, trains, and returns the selected model. */
SPECREG_API specreg_status specreg_fit(specreg_context *ctx, const specreg_table *train,
                                       const specreg_options *options, specreg_model **out);
/** Fits the rows of one or several files, read as one table; a name may be a pattern such as
 * 'part-*.npy'.  With the option "approx" (rectangle:m=1000) rows are read in blocks, and memory
 * does not grow with their number. */
SPECREG_API specreg_status specreg_fit_files(specreg_context *ctx, const char *const *paths,
                                             int64_t count, const specreg_options *options,
                                             specreg_model **out);
/** Fits plain arrays: X is n x p, Y is n x T numbers.  It is a regression, whatever the
 * numbers, unless the option "problem" is classification or field. */
SPECREG_API specreg_status specreg_fit_arrays(specreg_context *ctx, const specreg_view *X,
                                              const specreg_view *Y, const specreg_options *options,
                                              specreg_model **out);
/** Fits all that specreg_data can hold.  Labels make it a classification; weights and groups
 * count as such, whatever the options say. */
SPECREG_API specreg_status specreg_fit_data(specreg_context *ctx, const specreg_data *data,
                                            const specreg_options *options, specreg_model **out);
/** Frees a model. */
SPECREG_API void specreg_model_free(specreg_model *model);

/* -------------------------------------------------------------------- sums */

/** Sums as files, of problems with fewer centres than rows (option "approx").  A basis fixes what
 * the sums are of: the columns, scaling, classes, kernels, centres and folds that follow from the
 * rows of the file `sample` and the options. */
SPECREG_API specreg_status specreg_sums_init(specreg_context *ctx, const char *sample,
                                             const specreg_options *options, const char *basis);
/** The sums over the rows of some files, read as one table. */
SPECREG_API specreg_status specreg_sums_add(specreg_context *ctx, const char *basis,
                                            const char *const *parts, int64_t count,
                                            const specreg_options *options, const char *sums);
/** Joins sums of different rows; the file is the same in whatever order they come. */
SPECREG_API specreg_status specreg_sums_merge(specreg_context *ctx, const char *const *sums,
                                              int64_t count, const char *out);
/** Takes rows away that were added before, as whole blocks. */
SPECREG_API specreg_status specreg_sums_subtract(specreg_context *ctx, const char *all,
                                                 const char *part, const char *out);
/** What a sums file holds. */
typedef struct specreg_sums_facts {
    size_t struct_size;               /* sizeof(specreg_sums_facts) */
    int64_t rows, blocks, block_rows; /* rows, in blocks of so many but the last of each part */
    int64_t kernels, centres;         /* centres of the first kernel                           */
    int64_t parts; /* folds, or the classes in each where outputs train on some classes only */
} specreg_sums_facts;
/** Reads a sums file and tells what is in it. */
SPECREG_API specreg_status specreg_sums_info(specreg_context *ctx, const char *sums,
                                             specreg_sums_facts *out);
/** The model that the sums give: filter, parameters and selection may be other than those of the
 * basis. */
SPECREG_API specreg_status specreg_fit_sums(specreg_context *ctx, const char *sums,
                                            const specreg_options *options, specreg_model **out);

/** Writes a model: to a temporary file, which is synced and renamed; pipes and devices are written
 * in place. */
SPECREG_API specreg_status specreg_model_save(specreg_context *ctx, const specreg_model *model,
                                              const char *path);
/** Reads a model file, plain, .gz or .zst. */
SPECREG_API specreg_status specreg_model_load(specreg_context *ctx, const char *path,
                                              specreg_model **out);

/** What specreg_model_save() would write, as bytes; free with specreg_bytes_free(). */
SPECREG_API specreg_status specreg_model_to_memory(specreg_context *ctx, const specreg_model *model,
                                                   void **bytes, size_t *size);
/** A model from the bytes of a model file, uncompressed; they are not kept. */
SPECREG_API specreg_status specreg_model_from_memory(specreg_context *ctx, const void *bytes,
                                                     size_t size, specreg_model **out);

/** Writes a model for others: `format` is "onnx", "libsvm" or "c"; NULL: as the name's ending says,
 * .onnx, .model or .c.  C source is two files, `path` with .c and .h in place of its ending .c, if
 * it has one.  SPECREG_E_UNAVAILABLE, with the reason, for what the format cannot carry. */
SPECREG_API specreg_status specreg_model_export(specreg_context *ctx, const specreg_model *model,
                                                const char *format, const char *path);

/** A model from a model file of LIBSVM, whose predictions are those of svm-predict: c_svc, nu_svc,
 * epsilon_svr and nu_svr with a linear, polynomial, rbf or precomputed kernel.  `inputs` is how
 * many columns rows have, or 0: as many as the largest index of a support vector.  The model has no
 * probabilities.  SPECREG_E_FORMAT names the line that is wrong; SPECREG_E_UNAVAILABLE says why a
 * model cannot be taken. */
SPECREG_API specreg_status specreg_model_import(specreg_context *ctx, const char *path,
                                                int64_t inputs, specreg_model **out);

/** Kernel principal components.  With K/n = V diag(s) V', s descending, the model's outputs pc1,
 * pc2, ... are the coordinates sum_i k(x, x_i) V_ij / (n s_j)^(1/2); for training rows that is
 * V_ij (n s_j)^(1/2).  With center=yes in the option "kpca", H K H takes the place of K, where
 * H = I - 11'/n.  No target is needed: columns that the option "target" names, or one named y,
 * target or label, are not inputs.  `components` 0 takes the number from the option "kpca".  Other
 * options used: kernel (one; auto is the median distance), scale, missing, seed, threads, memory.
 * specreg_predict() gives coordinates, specreg_model_record() eigenvalues and their shares. */
SPECREG_API specreg_status specreg_kpca(specreg_context *ctx, const specreg_table *train,
                                        const specreg_options *options, int64_t components,
                                        specreg_model **out);
/** Whitened coordinates in the span of m rows, the centres: with K_mm = LL' of the kernel between
 * them the model's outputs b1, b2, ... are b(x) = L^-1 k_m(x), and inner products of b are those of
 * K_nm K_mm^-1 K_mn.  There are fewer than m where centres depend on others, to rounding.  The
 * option "nystrom" has the number and kind of centres: "m=100,centers=rpcholesky"; all else is as
 * in specreg_kpca(). */
SPECREG_API specreg_status specreg_nystrom(specreg_context *ctx, const specreg_table *train,
                                           const specreg_options *options, specreg_model **out);
/** Of a model of specreg_kpca() or specreg_nystrom(): the table's target columns, if it has some
 * (found as above), and its coordinates.  `json`, which
 * may be NULL, receives a record. */
SPECREG_API specreg_status specreg_kpca_apply(specreg_context *ctx, const specreg_model *model,
                                              const specreg_table *data,
                                              const specreg_options *options, specreg_table **out,
                                              char **json);

/** The vocabulary of a model that was fitted to documents, else NULL; owned by the model. */
SPECREG_API const specreg_vocabulary *specreg_model_vocabulary(const specreg_model *model);
/** Reads data for a model, as specreg_table_read() does; for a model of documents a file whose name
 * does not tell the format is read as documents. */
SPECREG_API specreg_status specreg_table_read_for(specreg_context *ctx, const specreg_model *model,
                                                  const char *path, const specreg_options *options,
                                                  specreg_table **out);

/** How many numbers the model predicts for a row: one per target, or a score per class. */
SPECREG_API int64_t specreg_model_outputs(const specreg_model *model);
/** How many input columns specreg_predict_array() expects. */
SPECREG_API int64_t specreg_model_inputs(const specreg_model *model);
/** The label of a class; NULL for a regression, or if there is no such class. */
SPECREG_API const char *specreg_model_class(const specreg_model *model, int64_t index);

/** Numbers of the model, owned by it.  f(x) = sum_i k(x, z_i) a_i + slopes' x + b' phi(x), where x
 * is an encoded and scaled row: "centres" has the rows z_i, "coefficients" the rows a_i, "slopes" a
 * row for each input of a linear kernel, "features" the rows of b; each row but those of centres
 * has a number for each output, or bit of a coding.  "outputs" is the matrix of outputs or tasks
 * that was learned (outputs "learn"), tasks in the order of their names.  SPECREG_E_UNAVAILABLE if
 * the model has none, if its centres are sparse or row numbers, or if sparse columns without an
 * entry have no slope. */
SPECREG_API specreg_status specreg_model_array(specreg_context *ctx, const specreg_model *model,
                                               const char *name, specreg_view *out);
/** A number of the model's record by its keys with dots between, from 0 in lists: "filter.lambda",
 * "kernel.sigma", "selection.value".  SPECREG_E_ARG if there is no such number. */
SPECREG_API specreg_status specreg_model_number(specreg_context *ctx, const specreg_model *model,
                                                const char *keys, double *out);

/** Predictions as a table.  Regression has a column named like each target, classification has
 * `label` and `score:<class>` for each class.  Options add columns: "proba" `prob:<class>` for each
 * class (the label is always the most probable one), "interval" `<target>:lower` and
 * `<target>:upper`, "parts" `<target>:<part>` for each part of specreg_model_parts(). */
SPECREG_API specreg_status specreg_predict(specreg_context *ctx, const specreg_model *model,
                                           const specreg_table *data,
                                           const specreg_options *options, specreg_table **out);
/** Predicts the rows of files, which are read as one table, and writes the predictions to the file
 * `out`, whose name gives the format ("-": CSV to standard output).  A path may be a pattern
 * ("part-*.npy", sorted by name) or "-", standard input.  Files are read and written in blocks:
 * memory does not grow with the rows, except for formats that can only be read or written as a
 * whole (docs/FORMATS.md says which).  `rows`, which may be NULL, receives how many were predicted.
 * Values are those that specreg_predict() of the whole table gives, to rounding: a product of
 * matrices may differ in its last digits where threads divide the rows in another way. */
SPECREG_API specreg_status specreg_predict_files(specreg_context *ctx, const specreg_model *model,
                                                 const char *const *paths, int64_t count,
                                                 const specreg_options *options, const char *out,
                                                 int64_t *rows);
/** Numbers in, numbers out: `scores` takes X->rows x specreg_model_outputs() values, row-major, and
 * has room for `capacity`.  For models trained without text columns. */
SPECREG_API specreg_status specreg_predict_array(specreg_context *ctx, const specreg_model *model,
                                                 const specreg_view *X,
                                                 const specreg_options *options, double *scores,
                                                 int64_t capacity);
/** Scores as specreg_predict_array() gives them, for the inputs of specreg_data; the rest of it is
 * left aside. */
SPECREG_API specreg_status specreg_predict_data(specreg_context *ctx, const specreg_model *model,
                                                const specreg_data *data,
                                                const specreg_options *options, double *scores,
                                                int64_t capacity);
/** The class of each row, for specreg_model_class(): the one with the largest score.
 * SPECREG_E_UNAVAILABLE for a regression. */
SPECREG_API specreg_status specreg_predict_classes(specreg_context *ctx, const specreg_model *model,
                                                   const specreg_data *data,
                                                   const specreg_options *options, int32_t *classes,
                                                   int64_t capacity);
/** Into how many parts predictions can be split; 0 if they cannot.  Vector fields have curlfree and
 * divfree, and scalar where scalar kernels are added; models with unpenalised terms kernel and
 * features. */
SPECREG_API int64_t specreg_model_parts(const specreg_model *model);
/** The name of a part; NULL if there is no such part. */
SPECREG_API const char *specreg_model_part(const specreg_model *model, int64_t index);
/** One part of the predictions, X->rows x specreg_model_outputs() values, row-major.
 * SPECREG_E_UNAVAILABLE if the model has no parts. */
SPECREG_API specreg_status specreg_predict_part_array(specreg_context *ctx,
                                                      const specreg_model *model,
                                                      const specreg_view *X, int64_t part,
                                                      const specreg_options *options,
                                                      double *values, int64_t capacity);
/** The points of a regular grid, such as "x0:x1:nx,y0:y1:ny", with an axis for each of the model's
 * one to three numeric inputs; the first axis varies fastest.  specreg_predict() puts the
 * coordinates before its own columns; its table can also be written as a VTK file (".vtk"). */
SPECREG_API specreg_status specreg_grid_table(specreg_context *ctx, const specreg_model *model,
                                              const char *grid, specreg_table **out);
/** Probabilities of the classes, X->rows x specreg_model_outputs() values, row-major; rows sum
 * to 1.  SPECREG_E_UNAVAILABLE for a regression, or if the model was not chosen by loo or
 * kfold. */
SPECREG_API specreg_status specreg_predict_proba_array(specreg_context *ctx,
                                                       const specreg_model *model,
                                                       const specreg_view *X,
                                                       const specreg_options *options,
                                                       double *proba, int64_t capacity);
/** The same for the inputs of specreg_data; the rest of it is left aside. */
SPECREG_API specreg_status specreg_predict_proba_data(specreg_context *ctx,
                                                      const specreg_model *model,
                                                      const specreg_data *data,
                                                      const specreg_options *options, double *proba,
                                                      int64_t capacity);
/** Intervals that hold a target with the probability `level`, above 0 and below 1.  `lower` and
 * `upper`, each with room for `capacity`, receive X->rows x specreg_model_outputs() values,
 * infinite if there are too few training rows for the level.  SPECREG_E_UNAVAILABLE for classes,
 * and if the model has no held-out residuals. */
SPECREG_API specreg_status specreg_predict_interval_array(
    specreg_context *ctx, const specreg_model *model, const specreg_view *X, double level,
    const specreg_options *options, double *lower, double *upper, int64_t capacity);
/** The same for the inputs of specreg_data, with the level of the option "interval": `ends` takes
 * all lower ends, then all upper ones. */
SPECREG_API specreg_status specreg_predict_interval_data(specreg_context *ctx,
                                                         const specreg_model *model,
                                                         const specreg_data *data,
                                                         const specreg_options *options,
                                                         double *ends, int64_t capacity);

/* ----------------------------------------------------------------- records
 * JSON texts with the keys of docs/JSON.md; free with specreg_string_free(). */

/** A measure of error. */
typedef struct specreg_measure_info {
    const char *name;     /* its key in records, such as "error_rate"; a criterion's option text  */
    const char *title;    /* for people: "error rate"                                            */
    const char *unit;     /* "%": a share, which people read in per cent; "degrees"; "": none     */
    int larger_is_better; /* 1, else 0                                                           */
    int line;             /* of a summary's errors, 1 or 2; 0: summaries leave it out            */
} specreg_measure_info;

/** The measures in the order of summaries: index 0, 1, ... until NULL. */
SPECREG_API const specreg_measure_info *specreg_measure_at(int index);
/** What a selection rule is called, for people: "leave-one-out" for loo; NULL where there are no
 * other words than the name. */
SPECREG_API const char *specreg_rule_title(const char *rule);
/** What is compared where a record has this criterion, for people: "count" for bound; NULL as
 * above. */
SPECREG_API const char *specreg_criterion_title(const char *criterion);

/** What fit did: data, kernel, filter, selection table, training error, times. */
SPECREG_API specreg_status specreg_model_record(specreg_context *ctx, const specreg_model *model,
                                                char **json);
/** Errors of a model on labelled data. */
SPECREG_API specreg_status specreg_evaluate(specreg_context *ctx, const specreg_model *model,
                                            const specreg_table *data,
                                            const specreg_options *options, char **json);
/** The same for the rows of files, named as for specreg_predict_files().  Of each row its outputs
 * and its targets, or class and scores, are kept, for measures such as AUC that need them all. */
SPECREG_API specreg_status specreg_evaluate_files(specreg_context *ctx, const specreg_model *model,
                                                  const char *const *paths, int64_t count,
                                                  const specreg_options *options, char **json);
/** The whole regularization path as a table; `test` may be NULL. */
SPECREG_API specreg_status specreg_path(specreg_context *ctx, const specreg_table *train,
                                        const specreg_table *test, const specreg_options *options,
                                        char **json);
/** One point of a path, trained on all rows.  Its arrays, row-major, last until the callback
 * returns. */
typedef struct specreg_path_point {
    const char *name;      /* the kernel's numbers and the parameter: "sigma=1 lambda=0.1"       */
    const char *parameter; /* "lambda", "t", "components" or "order"                            */
    double value;          /* of the parameter                                                  */
    int64_t kernel;        /* the number of its kernel, from 0                                  */
    const double *coefficients; /* centres x columns: those of specreg_model_array()            */
    int64_t centres, columns;
    const double *terms; /* n_terms x columns: coefficients of unpenalised terms                */
    int64_t n_terms;
    const char *const *term_names;
    const double *predictions; /* rows x outputs, as specreg_predict_array() gives them; NULL   */
    int64_t rows, outputs;
    const char *const *output_names; /* targets, or classes                                     */
    const specreg_table *table;      /* the rows that are predicted; NULL                       */
    /* Of each centre: its row in the training table, from 0; rows of a file of rows without targets
     * are counted on.  Where a centre belongs to one output (columns is 1), the name of that; else
     * NULL.  Terms then come for one output after the other. */
    const int64_t *centre_rows;
    const char *const *centre_outputs;
} specreg_path_point;
/** Called for each point, kernel by kernel, from smooth to rough.  Return nonzero to stop: the call
 * then gives SPECREG_E_CANCELLED. */
typedef int specreg_path_fn(const specreg_path_point *point, void *payload);
/** What is wanted of a path beside its table.  What there is not is NULL. */
typedef struct specreg_path_request {
    size_t struct_size;        /* sizeof(specreg_path_request)                                  */
    const specreg_table *test; /* labelled rows on which every point is scored                  */
    const specreg_table *rows; /* rows to predict ...                                           */
    const char *grid;          /* ... or a grid, as for specreg_grid_table()                    */
    specreg_path_fn *each;
    void *payload;
} specreg_path_request;
/** The path with its solutions: the table as specreg_path() gives it, and each point to the
 * callback. */
SPECREG_API specreg_status specreg_path_solutions(specreg_context *ctx, const specreg_table *train,
                                                  const specreg_path_request *request,
                                                  const specreg_options *options, char **json);
/** An error estimate of the whole procedure: for each outer split, fit on the training rows, search
 * included, and evaluate on the others. */
SPECREG_API specreg_status specreg_cv(specreg_context *ctx, const specreg_table *data,
                                      const specreg_options *options, char **json);
/** Eigenvalues of K/n, the effective dimension, and the share of y along each eigenvector. */
SPECREG_API specreg_status specreg_spectrum(specreg_context *ctx, const specreg_table *train,
                                            const specreg_options *options, char **json);
/** What each filter is: g, r, qualification, constants of the theory, engines. */
SPECREG_API specreg_status specreg_filters(specreg_context *ctx, char **json);
/** g, r and s^nu r of a filter over s, with `filter` and `param` as these options have them, and
 * the values of s as a list or range, "log:1e-4:1:100".  Where the step is not a number, the
 * largest eigenvalue is 1. */
SPECREG_API specreg_status specreg_filter_curve(specreg_context *ctx, const char *filter,
                                                const char *param, const char *s, double nu,
                                                char **json);
/** What fit would do, with memory and seconds, without doing it.  The cost of engines follows from
 * the speed of the computer, as measured earlier and kept in the user's cache folder, else from
 * built-in figures.  Neither this call nor fit measures or writes that file unless the option
 * "calibrate" is auto or again. */
SPECREG_API specreg_status specreg_plan(specreg_context *ctx, const specreg_table *train,
                                        const specreg_options *options, char **json);
/** The same for the rows of files, by a look at 65,536 of them where there are more. */
SPECREG_API specreg_status specreg_plan_files(specreg_context *ctx, const char *const *paths,
                                              int64_t count, const specreg_options *options,
                                              char **json);
/** Describes a table: columns, types, ranges, and which target and problem fit would assume. */
SPECREG_API specreg_status specreg_table_record(specreg_context *ctx, const specreg_table *table,
                                                const specreg_options *options, char **json);
/* ------------------------------------------------- what a model makes of its columns
 * Both calls change columns of a table as they stand there, before texts, dates and gaps become
 * numbers, and predict.  The option "columns" says which ("": all inputs).
 * SPECREG_E_UNAVAILABLE, with the reason, for models of documents, sparse inputs, kernel matrices
 * that are given, and unpenalised terms from a file. */

/** How much worse predictions are when the values of a column are permuted over the rows.  Arrays
 * and names belong to the result. */
typedef struct specreg_importances {
    const specreg_measure_info *criterion;
    double baseline; /* the criterion of the rows as they are                                   */
    int64_t rows;    /* that were used                                                          */
    int64_t columns, repeats;
    const char *const *name; /* of each column                                                  */
    const double *mean;      /* over the repeats: by how much the criterion gets worse          */
    const double *stddev;    /* n - 1; NaN for one repeat                                       */
    const double *value;     /* columns x repeats                                               */
    const char *data;        /* where the rows came from                                        */
    uint64_t seed;
    double seconds;
} specreg_importances;

/** Permutation importance on labelled data.  In a repeat all columns are permuted alike.  Options
 * used: "columns", "criterion", "repeats", "seed", and those with SPECREG_FOR_PREDICT. */
SPECREG_API specreg_status specreg_importance(specreg_context *ctx, const specreg_model *model,
                                              const specreg_table *data,
                                              const specreg_options *options,
                                              specreg_importances **out);
/** The same as a record. */
SPECREG_API specreg_status specreg_importance_record(specreg_context *ctx,
                                                     const specreg_model *model,
                                                     const specreg_importances *importances,
                                                     char **json);
/** Frees importances. */
SPECREG_API void specreg_importances_free(specreg_importances *importances);

/** The values that a column is given. */
typedef struct specreg_partial_axis {
    const char *name;
    int64_t points;
    const double *value;      /* NaN for texts                          */
    const char *const *label; /* of categories and dates; NULL: numbers */
} specreg_partial_axis;

/** Predictions over all rows while one column, or two, have the same value in each. */
typedef struct specreg_partial_curve {
    int axes; /* 1, or 2: a surface */
    specreg_partial_axis axis[2];
    /* For each point of the first axis, and there for each of the second, a number for each output:
     * the mean over the rows, and what 10 % and 90 % of the rows lie below. */
    const double *mean, *low, *high;
} specreg_partial_curve;

/** Partial dependence.  Arrays and names belong to the result. */
typedef struct specreg_partials {
    int64_t rows;              /* that were used                          */
    const char *what;          /* "prediction", "score" or "probability"  */
    int64_t outputs;           /* targets, or classes                     */
    const char *const *output; /* their names                            */
    int64_t curves;
    const specreg_partial_curve *curve;
    const char *data; /* where the rows came from */
    double seconds;
} specreg_partials;

/** Partial dependence on columns, over the rows of a table; targets are not needed.  Of classes it
 * is that of probabilities, or of scores if the model has none.  Options used: "columns",
 * "surface", "points", and those with SPECREG_FOR_PREDICT. */
SPECREG_API specreg_status specreg_partial(specreg_context *ctx, const specreg_model *model,
                                           const specreg_table *data,
                                           const specreg_options *options, specreg_partials **out);
/** The same as a record. */
SPECREG_API specreg_status specreg_partial_record(specreg_context *ctx, const specreg_model *model,
                                                  const specreg_partials *partials, char **json);
/** Frees partial dependence. */
SPECREG_API void specreg_partials_free(specreg_partials *partials);

/* ------------------------------------------------------------------- pages
 * A report page is one HTML file that shows models and records as pictures, without a network. */

/** What is shown side by side: a model, or a record.  What there is not is NULL. */
typedef struct specreg_report_part {
    size_t struct_size;          /* sizeof(specreg_report_part)                                  */
    const char *title;           /* for people, such as a file name                              */
    const specreg_model *model;  /* a model ...                                                  */
    const char *record;          /* ... or one as JSON; of importance it joins the model before  */
    const specreg_table *data;   /* labelled rows to show in place of those that the model keeps */
    const specreg_table *sample; /* for importance and partial dependence; NULL: data            */
    const char *plan;            /* the record of specreg_plan() or of its callback              */
} specreg_report_part;
/** What the page is made of, as JSON.  Options used: those with SPECREG_FOR_PREDICT, for `data`. */
SPECREG_API specreg_status specreg_report_data(specreg_context *ctx,
                                               const specreg_report_part *parts, int64_t count,
                                               const specreg_options *options, char **json);
/** The page as a text; free it with specreg_string_free(). */
SPECREG_API specreg_status specreg_report_page(specreg_context *ctx,
                                               const specreg_report_part *parts, int64_t count,
                                               const specreg_options *options, char **html);
/** The same of files: models, and records as `--json` writes them.  `data`, which may be NULL, are
 * labelled rows that the models are to predict. */
SPECREG_API specreg_status specreg_report_files(specreg_context *ctx, const char *const *paths,
                                                int64_t count, const specreg_table *data,
                                                const specreg_options *options, char **html);
/** 1 if the file begins like a model file, else 0. */
SPECREG_API int specreg_is_model_file(const char *path);

#ifdef __cplusplus
}
#endif
#endif
