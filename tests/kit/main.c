/* Runs every TEST of the program, each with a fresh context.  A test file with a main() of its own
 * does not get this one. */
#include "kit/kit.h"

#include <stdio.h>

enum { TESTS_MAX = 512 };

typedef struct entry {
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

void kit_register(const char *name, void (*function)(specreg_context *))
{
    if (count == TESTS_MAX)
        abort();
    entries[count].function = function;
    tests[count] = (struct CMUnitTest){name, run, set_up, tear_down, &entries[count]};
    count++;
}

/* Keeps the tests whose name contains the word. */
static void choose(const char *word)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strstr(tests[i].name, word))
            tests[kept++] = tests[i];
    count = kept;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    choose(word);
    if (!count) {
        fprintf(stderr, "no test has '%s' in its name\n", word);
        return 2;
    }
    const int failed = _cmocka_run_group_tests(argv[0], tests, count, NULL, NULL);
    kit_print_worst();
    if (failed)
        return 1;
    return kit_skipped() == (int)count ? 77 : 0; /* 77: ctest reads "skipped" */
}
