/* How fast the CSV reader is on one core: csv_read FILE [repetitions].  Prints MB per second of
 * processor time (so that a busy machine does not disturb), the best of the repetitions.  Used by
 * csv_bench.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "specreg/specreg.h"

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    specreg_context *ctx;
    struct stat info;
    double best = 0;
    if (argc < 2 || stat(argv[1], &info) != 0 || specreg_context_new(&ctx) != SPECREG_OK)
        return 2;
    for (int i = argc > 2 ? atoi(argv[2]) : 3; i > 0; i--) {
        specreg_table *t;
        const double start = seconds();
        if (specreg_table_read(ctx, argv[1], NULL, &t) != SPECREG_OK) {
            fprintf(stderr, "%s\n", specreg_last_error(ctx));
            return 1;
        }
        const double speed = (double)info.st_size / 1e6 / (seconds() - start);
        best = speed > best ? speed : best;
        specreg_table_free(t);
    }
    printf("%.0f\n", best);
    specreg_context_free(ctx);
    return 0;
}
