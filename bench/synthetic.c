/* Writes synthetic problems of any size as NPY, in constant memory:
 *
 *     build/synthetic ringnorm|sine|higgs ROWS OUT.npy [float32] [SEED]
 *
 * ringnorm: Breiman's, 20 inputs, classes -1 and 1.  sine: 8 inputs uniform in [-1, 1],
 * y = sin(3 w'x) + 0.2 noise.  higgs: 28 inputs and classes 0 and 1 of the shape of UCI's HIGGS:
 * momenta and directions of a lepton, of what is missing and of four jets, and seven invariant
 * masses that follow from them; in class 1 the last two jets come from one particle.
 * The last column is y.  Row i depends on the seed and on i only: the bytes are the same for any
 * number of threads, and more rows begin with the fewer ones. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rng.h"

enum { BLOCK = 4096, MOST_COLUMNS = 32, HEADER = 128 };
static const double two_pi = 6.283185307179586;

typedef struct problem {
    const char *name;
    int columns; /* with y */
    void (*row)(sri_rng *r, const double *direction, double *out);
} problem;

/* count numbers of N(0, 1), two at a time. */
static void normals(sri_rng *r, int count, double *out)
{
    for (int i = 0; i < count; i += 2) {
        const double radius = sqrt(-2 * log(1 - sri_rng_uniform(r)));
        const double angle = two_pi * sri_rng_uniform(r);
        out[i] = radius * cos(angle);
        if (i + 1 < count)
            out[i + 1] = radius * sin(angle);
    }
}

static void ringnorm_row(sri_rng *r, const double *direction, double *out)
{
    (void)direction;
    const double y = sri_rng_uniform(r) < 0.5 ? 1 : -1;
    normals(r, 20, out);
    for (int j = 0; j < 20; j++)
        out[j] = y > 0 ? 2 * out[j] : 2 / sqrt(20) + out[j];
    out[20] = y;
}

static void sine_row(sri_rng *r, const double *direction, double *out)
{
    double along = 0;
    for (int j = 0; j < 8; j++) {
        out[j] = 2 * sri_rng_uniform(r) - 1;
        along += direction[j] * out[j];
    }
    normals(r, 1, out + 8);
    out[8] = sin(3 * along) + 0.2 * out[8];
}

/* Momentum across the beam, direction along and around it. */
typedef struct particle {
    double pt, eta, phi;
} particle;

/* The mass of two massless particles. */
static double mass(particle a, particle b)
{
    return sqrt(2 * a.pt * b.pt * (cosh(a.eta - b.eta) - cos(a.phi - b.phi)));
}

static double wrapped(double phi)
{
    return phi - two_pi * floor(phi / two_pi + 0.5);
}

static particle draw(sri_rng *r, double scale)
{
    double z[2];
    normals(r, 2, z);
    return (particle){scale * exp(0.5 * z[0]), fmax(-2.5, fmin(2.5, z[1])),
                      two_pi * (sri_rng_uniform(r) - 0.5)};
}

static void higgs_row(sri_rng *r, const double *direction, double *out)
{
    (void)direction;
    const int signal = sri_rng_uniform(r) < 0.53;
    particle lepton = draw(r, 0.9), missing = draw(r, signal ? 1.05 : 0.95), jet[4];
    double z[2];
    for (int j = 0; j < 4; j++)
        jet[j] = draw(r, (signal ? 1.05 : 1.0) * (1.1 - 0.1 * j));
    if (signal) { /* the last two come from one particle and fly close to each other */
        normals(r, 2, z);
        jet[3].eta = jet[2].eta + 0.6 * z[0];
        jet[3].phi = wrapped(jet[2].phi + 1 + 0.5 * z[1]);
    }
    double *at = out;
    *at++ = lepton.pt, *at++ = lepton.eta, *at++ = lepton.phi;
    *at++ = missing.pt, *at++ = missing.phi;
    for (int j = 0; j < 4; j++) {
        *at++ = jet[j].pt, *at++ = jet[j].eta, *at++ = jet[j].phi;
        *at++ = sri_rng_uniform(r) < (j < 2 ? 0.2 : signal ? 0.6 : 0.5) ? 2 : 0; /* b-tag */
    }
    const double jj = mass(jet[0], jet[1]), bb = mass(jet[2], jet[3]);
    const double lv = mass(lepton, missing), jlv = hypot(lv, mass(lepton, jet[2]));
    const double jjj = hypot(jj, hypot(mass(jet[0], jet[2]), mass(jet[1], jet[2])));
    *at++ = jj, *at++ = jjj, *at++ = lv, *at++ = jlv, *at++ = bb;
    *at++ = hypot(bb, jj), *at++ = hypot(hypot(bb, jj), lv);
    *at = signal;
}

static const problem problems[] = {{"ringnorm", 21, ringnorm_row},
                                   {"sine", 9, sine_row},
                                   {"higgs", 29, higgs_row}};

typedef struct job {
    const problem *what;
    int64_t rows;
    uint64_t seed;
    int is_single, fd;
    double direction[8];
} job;

static size_t item_size(const job *j)
{
    return j->is_single ? sizeof(float) : sizeof(double);
}

/* Rows first .. first + count - 1, one after the other. */
static void fill(const job *j, int64_t first, int64_t count, void *out)
{
    const int columns = j->what->columns;
    double row[MOST_COLUMNS];
    for (int64_t i = 0; i < count; i++) {
        sri_rng r = sri_rng_make(j->seed, 1);
        r.counter = (uint64_t)(first + i) << 8; /* a row takes fewer than 256 blocks of numbers */
        j->what->row(&r, j->direction, row);
        for (int k = 0; k < columns; k++)
            if (j->is_single)
                ((float *)out)[i * columns + k] = (float)row[k];
            else
                ((double *)out)[i * columns + k] = row[k];
    }
}

/* 0, or the errno of what failed. */
static int write_at(int fd, const char *data, size_t size, off_t place)
{
    while (size > 0) {
        const ssize_t part = pwrite(fd, data, size, place);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return errno;
        data += part;
        size -= (size_t)part;
        place += part;
    }
    return 0;
}

static int write_header(const job *j)
{
    char head[HEADER];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = HEADER - 10;
    head[9] = 0;
    const int n = snprintf(head + 10, sizeof head - 10,
                           "{'descr': '<f%d', 'fortran_order': False, 'shape': (%lld, %d), }",
                           (int)item_size(j), (long long)j->rows, j->what->columns);
    head[10 + n] = ' ';
    head[HEADER - 1] = '\n';
    return write_at(j->fd, head, sizeof head, 0);
}

static int write_rows(const job *j)
{
    const int64_t blocks = (j->rows + BLOCK - 1) / BLOCK;
    const size_t width = (size_t)j->what->columns * item_size(j);
    int error = 0;
#pragma omp parallel
    {
        char *buffer = malloc(BLOCK * width);
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < blocks; b++) {
            const int64_t first = b * BLOCK, left = j->rows - first;
            const int64_t count = left < BLOCK ? left : BLOCK;
            int failed = buffer ? 0 : ENOMEM;
            if (buffer) {
                fill(j, first, count, buffer);
                failed = write_at(j->fd, buffer, (size_t)count * width,
                                  HEADER + (off_t)first * (off_t)width);
            }
            if (failed) {
#pragma omp atomic write
                error = failed;
            }
        }
        free(buffer);
    }
    return error;
}

static void draw_direction(job *j)
{
    sri_rng r = sri_rng_make(j->seed, 2);
    double norm = 0;
    normals(&r, 8, j->direction);
    for (int k = 0; k < 8; k++)
        norm = hypot(norm, j->direction[k]);
    for (int k = 0; k < 8; k++)
        j->direction[k] /= norm;
}

static int usage(void)
{
    fprintf(stderr, "usage: synthetic ringnorm|sine|higgs ROWS OUT.npy [float32] [SEED]\n");
    return 2;
}

int main(int argc, char **argv)
{
    job j = {0};
    char *end = NULL;
    if (argc < 4)
        return usage();
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        if (strcmp(argv[1], problems[k].name) == 0)
            j.what = &problems[k];
    j.rows = strtoll(argv[2], &end, 10);
    if (!j.what || *end || j.rows < 1 || j.rows > (int64_t)1 << 40)
        return usage();
    for (int k = 4; k < argc; k++)
        if (strcmp(argv[k], "float32") == 0)
            j.is_single = 1;
        else if (j.seed = strtoull(argv[k], &end, 10), *end)
            return usage();
    draw_direction(&j);
    j.fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = j.fd < 0 ? errno : write_header(&j);
    if (!error)
        error = write_rows(&j);
    if (j.fd >= 0 && close(j.fd) != 0 && !error)
        error = errno;
    if (error) {
        fprintf(stderr, "synthetic: %s: cannot write: %s\n", argv[3], strerror(error));
        if (j.fd >= 0)
            unlink(argv[3]);
    }
    return error != 0;
}
