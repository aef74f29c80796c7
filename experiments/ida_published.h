/* The published numbers of the IDA benchmark: Lo Gerfo, Rosasco, Odone, De Vito, Verri (2007),
 * Tables 2 and 3. */
#ifndef IDA_PUBLISHED_H
#define IDA_PUBLISHED_H

enum { IDA_LANDWEBER, IDA_NU, IDA_RLS, IDA_TSVD, IDA_ITERATED, IDA_METHODS, IDA_SVM = IDA_METHODS };
enum { IDA_SETS = 13 };

typedef struct ida_error { /* in percent, over the resamplings of a set */
    double mean, stddev;
} ida_error;

typedef struct ida_published {
    const char *name;
    ida_error by[IDA_METHODS]; /* Table 2                                         */
    const char *best_of_7;     /* Table 3: who is best of the benchmark's page ... */
    ida_error of_7;            /* ... and how good                                */
    ida_error svm;
} ida_published;

typedef struct ida_best {
    const char *who;
    ida_error error;
} ida_best;

extern const ida_published ida_published_sets[IDA_SETS];
extern const char *const ida_method_filter[IDA_METHODS];    /* our name   */
extern const char *const ida_method_title[IDA_METHODS + 1]; /* the paper's, and SVM */

/* Of a method of Table 2, or the SVM of Table 3. */
ida_error ida_published_by(const ida_published *set, int method);
/* The smallest mean in both tables. */
ida_best ida_best_of(const ida_published *set);

#endif
