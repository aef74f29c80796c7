/* The context, and how calls fail. */
#ifndef SRI_CORE_CONTEXT_H
#define SRI_CORE_CONTEXT_H

#include <stdbool.h>

#include "specreg/specreg.h"

/* A kernel, filter or map that the user registered; see kernel/user.c, filter/user.c, outputs.c. */
typedef struct sri_registration {
    struct sri_registration *next;
    const char *name;
    const specreg_param_def *params; /* with names of their own */
    int n_params;
    void *payload;
    void (*function)(
        void);           /* specreg_kernel_def.eval, specreg_filter_def.g, specreg_map_def.apply */
    void (*block)(void); /* specreg_kernel_def.block, or NULL */
    bool of_steps;       /* a filter's path runs over t, not over lambda */
    int64_t columns;     /* that a map makes of a row's; 0: as many      */
    bool is_matrix;      /* a kernel whose values are matrices: function is
                          * specreg_matrix_kernel_def.eval               */
    int64_t outputs;     /* their size; 0: any                           */
} sri_registration;

struct sri_prepared; /* model/prepare.h */

struct specreg_context {
    specreg_allocator allocator; /* allocate NULL: malloc() and sri_free() */
    int64_t memory_limit;        /* memory.h: bytes that may be taken since memory_start; 0: any */
    int64_t memory_start;
    char error[2048];
    const struct sri_backend *backend; /* backend/backend.h; NULL: the default */
    specreg_progress_fn *progress;
    void *progress_payload;
    /* record/call_records.c: tells the callback what is prepared of so many rows, with or without
     * its plan */
    specreg_status (*announce)(specreg_context *ctx, struct sri_prepared *prepared, int64_t rows,
                               bool plan);
    specreg_plan_fn *plan;
    void *plan_payload;
    specreg_log_fn *log;
    void *log_payload;
    sri_registration *kernels;
    sri_registration *filters;
    sri_registration *maps;
    double stage_start; /* clock when the stage began        */
    const char *stage;
    int64_t stage_step, stage_steps;
    int64_t stage_part, stage_parts; /* as part and parts were when the stage began */
    int64_t part, parts; /* of calls that do the same work several times; parts 0: once */
};

/* The macros that change control flow.  SRI_TRY and SRI_REQUIRE need a local `st` and a label
 * `done`, where what the function owns is freed; a function that owns nothing takes SRI_CALL. */
#define SRI_TRY(call)         \
    do {                      \
        st = (call);          \
        if (st != SPECREG_OK) \
            goto done;        \
    } while (0)
#define SRI_CALL(call)                        \
    do {                                      \
        const specreg_status called = (call); \
        if (called != SPECREG_OK)             \
            return called;                    \
    } while (0)
#define SRI_REQUIRE(ctx, cond, code, ...)              \
    do {                                               \
        if (!(cond)) {                                 \
            st = sri_fail((ctx), (code), __VA_ARGS__); \
            goto done;                                 \
        }                                              \
    } while (0)

/* SRI_REQUIRE of a function that owns nothing. */
#define SRI_CHECK(ctx, cond, code, ...)                  \
    do {                                                 \
        if (!(cond))                                     \
            return sri_fail((ctx), (code), __VA_ARGS__); \
    } while (0)

/* What every call of the library begins with: SPECREG_E_ARG, with its name, where one of these
 * pointers is NULL.  A call that makes something sets its output to NULL before. */
#define SRI_ARGS(ctx, ...)                                                                        \
    do {                                                                                          \
        const void *const given[] = {__VA_ARGS__};                                                \
        SRI_CALL(                                                                                 \
            sri_check_given((ctx), __func__, #__VA_ARGS__, given, sizeof given / sizeof *given)); \
    } while (0)
#define SRI_MAKES(ctx, out, ...)         \
    do {                                 \
        if (out)                         \
            *(out) = NULL;               \
        SRI_ARGS(ctx, out, __VA_ARGS__); \
    } while (0)
specreg_status sri_check_given(specreg_context *ctx, const char *call, const char *names,
                               const void *const *given, size_t count);

/* Writes the text of a failure into the context and returns `code`. */
specreg_status sri_fail(specreg_context *ctx, specreg_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the error text that is there already; returns `code`. */
specreg_status sri_fail_at(specreg_context *ctx, specreg_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One line to the user's log callback. */
/* A line for the log.  One that begins with "note: " is for everyone who reads the result. */
void sri_log(specreg_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Progress: a stage of `steps` units begins; `step` of them are done.  sri_progress gives
 * SPECREG_E_CANCELLED when the user's callback asks to stop. */
specreg_status sri_stage(specreg_context *ctx, const char *stage, int64_t steps);
specreg_status sri_progress(specreg_context *ctx, int64_t step);
/* The stages that follow are number `part` of so many rounds of the same; 0 of 0: of none. */
void sri_stage_part(specreg_context *ctx, int64_t part, int64_t parts);
/* The same inside such a round: number `part` of `parts` of it.  Gives what was set before, which
 * sri_stage_outer puts back. */
typedef struct sri_stage_round {
    int64_t part, parts;
} sri_stage_round;
sri_stage_round sri_stage_inner(specreg_context *ctx, int64_t part, int64_t parts);
void sri_stage_outer(specreg_context *ctx, sri_stage_round before);
/* Asks the callback without moving the bar. */
specreg_status sri_poll(specreg_context *ctx);

/* Registered names; NULL where there is none. */
const sri_registration *sri_registered(const sri_registration *list, const char *name);
/* Adds a copy to a list (newest first; a repeated name is an error).  `what` is "kernel" or
 * "filter". */
specreg_status sri_register(specreg_context *ctx, sri_registration **list, const char *what,
                            const sri_registration *def);

/* Name and parameters without the function, NULL of NULL: what a model keeps of it. */
specreg_status sri_registration_copy(specreg_context *ctx, const sri_registration *from,
                                     sri_registration **out);
void sri_registration_free(sri_registration *list); /* all that follow, too; accepts NULL */

double sri_clock(void); /* seconds, monotonic */

#endif
