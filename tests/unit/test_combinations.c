/* What does not go together: every pair of aspects, and the table in the documentation. */
#include <string.h>

#include "kit/kit.h"
#include "select/combinations.h"

#define DOCS SPECREG_SOURCE_DIR "/docs/OUTPUTS.md"

/* As the documentation calls them. */
static const char *const names[SRI_ASPECTS] = {
    [SRI_HAS_TASKS] = "tasks",
    [SRI_HAS_GAPS] = "missing targets",
    [SRI_HAS_ONE_OUTPUT] = "one output, no tasks",
    [SRI_HAS_CLASSES] = "classes",
    [SRI_HAS_COUPLING] = "coupled outputs",
    [SRI_HAS_COUPLINGS] = "a sum of couplings of outputs",
    [SRI_HAS_OWN_INPUTS] = "outputs that see inputs of their own",
    [SRI_HAS_COUPLED_CLASSES] = "classes with coupled outputs",
    [SRI_HAS_FIELD] = "a field, with another kernel",
    [SRI_HAS_FIELD_KERNEL] = "a kernel of fields",
    [SRI_HAS_OTHER_SIZE] = "not as many targets as inputs",
    [SRI_HAS_LABELS] = "a point for each output, or tasks",
    [SRI_HAS_SPARSE_ROWS] = "sparse rows",
    [SRI_HAS_GIVEN_MATRIX] = "kernel precomputed",
    [SRI_HAS_GROUPS] = "groups",
    [SRI_HAS_OUTPUT_POINTS] = "a point for each output",
    [SRI_HAS_CG] = "filter cg",
    [SRI_HAS_COMPONENTS] = "a number of components",
    [SRI_HAS_IDA] = "selection by ida",
    [SRI_HAS_UNCOUPLED_RULE] = "selection by bound",
    [SRI_HAS_ROW_RULE] = "selection by leave-one-out",
};

/* The first line of the table for a pair; NULL: it goes together. */
static const sri_combination *line_of(sri_aspect a, sri_aspect b)
{
    const sri_combination *table = sri_combinations;
    const int count = sri_n_combinations;
    for (int i = 0; i < count; i++)
        if ((table[i].one == a && table[i].other == b) ||
            (table[i].one == b && table[i].other == a))
            return &table[i];
    return NULL;
}

static sri_aspects aspects_of(uint32_t has)
{
    return (sri_aspects){.has = has,
                         .name = {[SRI_NAMED_TABLE] = "TABLE",
                                  [SRI_NAMED_KERNEL] = "KERNEL",
                                  [SRI_NAMED_OUTPUTS] = "OUTPUTS",
                                  [SRI_NAMED_OWN_INPUTS] = "OUTPUTS",
                                  [SRI_NAMED_SIZES] = "T and P"}};
}

static void message_of(const sri_combination *line, char *out, size_t size)
{
    const sri_aspects a = aspects_of(0);
    snprintf(out, size, line->message, a.name[line->named[0]], a.name[line->named[1]]);
}

TEST(combinations, pairs_of_the_table_are_refused_and_others_go_together)
{
    for (int a = 0; a < SRI_ASPECTS; a++)
        for (int b = 0; b < SRI_ASPECTS; b++) {
            const sri_aspects both = aspects_of(1u << a | 1u << b);
            const sri_combination *line = line_of(a, b);
            char message[512];
            if (!line) {
                CHECK_OK(ctx, sri_combinations_check(ctx, &both));
                continue;
            }
            message_of(line, message, sizeof message);
            CHECK_FAILS(ctx, sri_combinations_check(ctx, &both), line->status, message);
        }
}

TEST(combinations, of_several_pairs_the_first_is_told)
{
    const sri_combination *table = sri_combinations;
    const int count = sri_n_combinations;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const sri_aspects all = aspects_of(1u << table[i].one | 1u << table[i].other |
                                               1u << table[j].one | 1u << table[j].other);
            int first = 0;
            while (!(all.has >> table[first].one & all.has >> table[first].other & 1))
                first++;
            char message[512];
            message_of(&table[first], message, sizeof message);
            CHECK(first <= (i < j ? i : j));
            CHECK_FAILS(ctx, sri_combinations_check(ctx, &all), table[first].status, message);
        }
}

TEST(combinations, no_pair_has_two_messages)
{
    const sri_combination *table = sri_combinations;
    const int count = sri_n_combinations;
    for (int i = 0; i < count; i++)
        CHECK(line_of(table[i].one, table[i].other) == &table[i]);
}

/* Lines "| one | other | message |" after the heading, in the order of the table, and no others. */
TEST(combinations, the_documentation_has_the_table)
{
    const sri_combination *table = sri_combinations;
    const int count = sri_n_combinations;
    int i = -2; /* two lines of heading */
    char line[1024], message[512], expected[1024];
    bool here = false;
    FILE *f = fopen(DOCS, "r");
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        here = here || strcmp(line, "## What does not go together\n") == 0;
        if (!here || *line != '|' || i++ < 0)
            continue;
        CHECK(i <= count);
        if (i > count)
            break;
        message_of(&table[i - 1], message, sizeof message);
        snprintf(expected, sizeof expected, "| %s | %s | %s |\n", names[table[i - 1].one],
                 names[table[i - 1].other], message);
        CHECK_STR(line, expected);
    }
    CHECK_EQ(i, count);
    fclose(f);
}
