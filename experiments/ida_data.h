/* The sets of the IDA benchmark as files, and their splits into training and test rows. */
#ifndef IDA_DATA_H
#define IDA_DATA_H

#include "experiment.h"
#include "ida_published.h"

/* --splits, 10 without it and 2 with --quick. */
int ida_read_splits(const cli *c, int64_t *count);
/* --sets, `usual` without it and two small ones with --quick, as indices into ida_published_sets;
 * refuses to go on where a file of them is not there. */
int ida_read_sets(const cli *c, const char *usual, exp_sets *sets);

typedef struct ida_data {
    specreg_table *rows, *splits;
    char *split_file;
    bool original; /* the benchmark's own splits, else random ones of the same sizes */
    int64_t count; /* splits: those wanted, or as many as there are                  */
} ida_data;

int ida_open(cli *c, const char *set, int64_t wanted, ida_data *data);
int ida_divide(cli *c, const ida_data *data, int64_t i, specreg_table **train,
               specreg_table **test);
void ida_close(ida_data *data); /* also after ida_open failed */

#endif
