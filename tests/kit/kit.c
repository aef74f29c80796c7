/* Checks and helpers; see kit.h. */
#include "kit/kit.h"

#include <dirent.h>
#include <float.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ------------------------------------------------------------------ checks */

void kit_fail(const char *file, int line, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error("%s\n", text);
    _fail(file, line);
    abort(); /* _fail does not return, but does not say so */
}

void kit_check_eq(const char *file, int line, const char *what, long long got, long long expected)
{
    if (got != expected)
        kit_fail(file, line, "%s is %lld, expected %lld", what, got, expected);
}

void kit_check_same(const char *file, int line, const char *what, double got, double expected)
{
    if (memcmp(&got, &expected, sizeof got) != 0 && !(isnan(got) && isnan(expected)))
        kit_fail(file, line, "%s is %.17g, expected exactly %.17g", what, got, expected);
}

void kit_check_near(const char *file, int line, const char *what, double got, double expected,
                    double tol)
{
    const double error = fabs(got - expected), bound = tol * fmax(1.0, fabs(expected));
    if (!(error <= bound))
        kit_fail(file, line, "%s is %.17g, expected %.17g: off by %.3g, allowed %.3g", what, got,
                 expected, error, bound);
}

void kit_check_array(const char *file, int line, const char *what, const double *got,
                     const double *expected, int64_t count, double tol)
{
    double size = 1.0;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(expected[i]));
    for (int64_t i = 0; i < count; i++) {
        const double error = fabs(got[i] - expected[i]);
        if (!(error <= tol * size))
            kit_fail(file, line, "%s[%lld] is %.17g, expected %.17g: off by %.3g, allowed %.3g",
                     what, (long long)i, got[i], expected[i], error, tol * size);
    }
}

void kit_check_str(const char *file, int line, const char *what, const char *got,
                   const char *expected)
{
    if (!got || strcmp(got, expected) != 0)
        kit_fail(file, line, "%s is '%s', expected '%s'", what, got ? got : "(null)", expected);
}

void kit_check_has(const char *file, int line, const char *what, const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        kit_fail(file, line, "%s is '%s', which has no '%s'", what, text ? text : "(null)", part);
}

void kit_check_status(const char *file, int line, const char *what, specreg_context *ctx,
                      specreg_status got, specreg_status expected)
{
    if (got != expected)
        kit_fail(file, line, "%s gave '%s', expected '%s'; the context says: %s", what,
                 specreg_status_string(got), specreg_status_string(expected),
                 specreg_last_error(ctx));
}

/* ----------------------------------------------------------------- numbers */

double kit_tolerance(int64_t n, double cond)
{
    return 8.0 * (double)n * DBL_EPSILON * cond;
}

double kit_distance(const double *a, const double *b, int64_t count)
{
    double worst = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double d = fabs(a[i] - b[i]);
        if (!(d <= worst)) /* NaN counts as the worst */
            worst = d;
    }
    return worst;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static double uniform_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

bool kit_whole(void)
{
    return getenv("SPECREG_TEST_WHOLE") != NULL;
}

double *kit_uniform(uint64_t seed, int64_t rows, int64_t cols)
{
    double *x = malloc((size_t)(rows * cols + 1) * sizeof *x);
    for (int64_t i = 0; i < rows * cols; i++)
        x[i] = uniform_next(&seed);
    return x;
}

/* Box and Muller, one of the pair */
double *kit_normal(uint64_t seed, int64_t rows, int64_t cols)
{
    const double two_pi = 6.283185307179586;
    double *x = malloc((size_t)(rows * cols + 1) * sizeof *x);
    for (int64_t i = 0; i < rows * cols; i++) {
        const double u = 1.0 - uniform_next(&seed), v = uniform_next(&seed);
        x[i] = sqrt(-2.0 * log(u)) * cos(two_pi * v);
    }
    return x;
}

/* ------------------------------------------------------------------- files */

static char scratch[PATH_MAX];

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *ftw)
{
    (void)s, (void)kind, (void)ftw;
    return remove(path);
}

static void remove_scratch(void)
{
    nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *scratch_folder(void)
{
    if (!scratch[0]) {
        const char *tmp = getenv("TMPDIR");
        snprintf(scratch, sizeof scratch, "%s/specreg-test-XXXXXX", tmp ? tmp : "/tmp");
        if (!mkdtemp(scratch))
            kit_fail(__FILE__, __LINE__, "cannot make a folder %s", scratch);
        atexit(remove_scratch);
    }
    return scratch;
}

static const char *join(const char *folder, const char *name)
{
    static char slots[16][PATH_MAX + 256];
    static unsigned next;
    char *path = slots[next++ % 16];
    snprintf(path, sizeof slots[0], "%s/%s", folder, name);
    return path;
}

const char *kit_temp(const char *name)
{
    return join(scratch_folder(), name);
}

const char *kit_temp_file(const char *name, const char *text)
{
    const char *path = kit_temp(name);
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        kit_fail(__FILE__, __LINE__, "cannot write %s", path);
    return path;
}

char *kit_read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    const size_t got = fread(text, 1, (size_t)size, f);
    text[got] = '\0';
    fclose(f);
    return text;
}

int kit_temp_count(void)
{
    int count = 0;
    DIR *d = opendir(scratch_folder());
    for (struct dirent *e; d && (e = readdir(d));)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d)
        closedir(d);
    return count;
}

const char *kit_data(const char *name)
{
    const char *folder = getenv("SPECREG_DATA");
    const char *path = join(folder ? folder : SPECREG_SOURCE_DIR "/../shared/data", name);
    if (access(path, R_OK) != 0)
        KIT_SKIP(path);
    return path;
}

/* ------------------------------------------------------------ tables, skips */

enum { WORST_MAX = 256 };
static struct {
    char name[96];
    double error, bound;
} worst[WORST_MAX];
static int worst_count, skipped;

void kit_worst(const char *file, int line, const char *name, double error, double bound)
{
    int i = 0;
    while (i < worst_count && strcmp(worst[i].name, name) != 0)
        i++;
    if (i == worst_count && worst_count < WORST_MAX) {
        snprintf(worst[i].name, sizeof worst[i].name, "%s", name);
        worst[i].error = error;
        worst[i].bound = bound;
        worst_count++;
    } else if (i < WORST_MAX && !(error / bound <= worst[i].error / worst[i].bound)) {
        worst[i].error = error;
        worst[i].bound = bound;
    }
    if (!(error <= bound))
        kit_fail(file, line, "%s: error %.3g, allowed %.3g", name, error, bound);
}

void kit_print_worst(void)
{
    if (worst_count)
        printf("%-56s %10s %10s %7s\n", "observed worst error", "error", "bound", "share");
    for (int i = 0; i < worst_count; i++)
        printf("%-56s %10.2e %10.2e %6.1f%%\n", worst[i].name, worst[i].error, worst[i].bound,
               worst[i].bound > 0 ? 100.0 * worst[i].error / worst[i].bound : 0.0);
}

void kit_note_skip(const char *why)
{
    skipped++;
    printf("skipped: not here: %s\n", why);
}

int kit_skipped(void)
{
    return skipped;
}

/* ------------------------------------------------- threads of BLAS */

#pragma weak openblas_set_num_threads
#pragma weak openblas_get_num_threads
void openblas_set_num_threads(int);
int openblas_get_num_threads(void);
static int instead;

bool kit_has_openblas(void)
{
    return openblas_set_num_threads && openblas_get_num_threads;
}

int kit_blas_threads(void)
{
    return kit_has_openblas() ? openblas_get_num_threads() : instead;
}

void kit_set_blas_threads(int threads)
{
    if (kit_has_openblas())
        openblas_set_num_threads(threads);
    instead = threads;
}
