/* Draws the demo's data: two noisy crescents in the plane, one above the other.
 *
 *     cc -Isrc data/crescents.c src/core/rng.c -lm -o crescents
 *     ./crescents train 400 > data/crescents-train.csv
 *     ./crescents test 1000 > data/crescents-test.csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: crescents train|test ROWS\n");
        return 2;
    }
    const double noise = 0.27;
    sri_rng rng = sri_rng_make(20, strcmp(argv[1], "train") == 0 ? 1 : 2);
    printf("x1,x2,crescent\n");
    for (long i = atol(argv[2]); i > 0; i--) {
        const int upper = sri_rng_uniform(&rng) < 0.5;
        const double angle = 3.141592653589793 * sri_rng_uniform(&rng);
        const double x = upper ? cos(angle) : 1 - cos(angle);
        const double y = upper ? sin(angle) : 0.5 - sin(angle);
        const double dx = noise * sri_rng_normal(&rng), dy = noise * sri_rng_normal(&rng);
        printf("%.4f,%.4f,%s\n", x + dx, y + dy, upper ? "upper" : "lower");
    }
    return 0;
}
