/* PROGRAM FILE [WORD] runs every TEST of the file, or those with this word in their name, each with
 * a fresh context. */
#include "kit/kit.h"

#include <stdio.h>

enum { TESTS_MAX = 2048 };

typedef struct entry {
    const char *file;
    void (*function)(specreg_context *);
    specreg_context *ctx;
} entry;

static entry entries[TESTS_MAX];
static struct CMUnitTest tests[TESTS_MAX]; /* each begins with its entry as its state */
static size_t count;

static int set_up(void **state)
{
    entry *e = *state;
    return specreg_context_new(&e->ctx) == SPECREG_OK ? 0 : -1;
}

static void run(void **state)
{
    const entry *e = *state;
    e->function(e->ctx);
}

static int tear_down(void **state)
{
    entry *e = *state;
    specreg_context_free(e->ctx);
    return 0;
}

void kit_register(const char *file, const char *name, void (*function)(specreg_context *))
{
    if (count == TESTS_MAX)
        abort();
    entries[count].file = file;
    entries[count].function = function;
    tests[count] = (struct CMUnitTest){name, run, set_up, tear_down, &entries[count]};
    count++;
}

/* Whether the path names this file, whose name is given without folder and ".c". */
static bool is_file(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const size_t length = strlen(name);
    return strncmp(base, name, length) == 0 && strcmp(base + length, ".c") == 0;
}

/* Keeps the tests of the file whose name contains the word. */
static void choose(const char *file, const char *word)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_file(entries[i].file, file) && strstr(tests[i].name, word))
            tests[kept++] = tests[i];
    count = kept;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [WORD], e.g. %s test_rng\n", argv[0], argv[0]);
        return 2;
    }
    const char *word = argc > 2 ? argv[2] : "";
    choose(argv[1], word);
    if (!count) {
        fprintf(stderr, "%s: no test of %s.c has '%s' in its name\n", argv[0], argv[1], word);
        return 2;
    }
    const int failed = _cmocka_run_group_tests(argv[1], tests, count, NULL, NULL);
    kit_print_worst();
    if (failed)
        return 1;
    return kit_skipped() == (int)count ? 77 : 0; /* 77: ctest reads "skipped" */
}
