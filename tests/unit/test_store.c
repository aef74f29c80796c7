/* Files of sums come from others: what they say of files and limits is not believed. */
#include <stdlib.h>
#include <string.h>

#include "kit/kit.h"
#include "sums/store.h"

static sri_sums_basis basis_of(const char *options, const char *name)
{
    static char rows[] = "a,y\n1,2\n";
    return (sri_sums_basis){(char *)options, (char *)name, rows, sizeof rows - 1};
}

TEST(store, a_basis_comes_back_as_it_was_written)
{
    const sri_sums_basis basis = basis_of("seed=3\n", "rows.csv");
    sri_sums_basis back;
    CHECK_OK(ctx, sri_sums_basis_write(ctx, &basis, kit_temp("a.basis")));
    CHECK_OK(ctx, sri_sums_basis_read(ctx, kit_temp("a.basis"), &back));
    CHECK(strcmp(back.options, basis.options) == 0 && strcmp(back.name, basis.name) == 0);
    CHECK(back.size == basis.size && memcmp(back.rows, basis.rows, (size_t)basis.size) == 0);
    sri_sums_basis_free(&back);
}

/* The rows are written to a file of this name, in a folder for them alone. */
TEST(store, the_name_of_the_rows_leads_nowhere_else)
{
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    const char *const names[] = {"../elsewhere", "/etc/elsewhere", "..", ".", "", "a/b", longest};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sri_sums_basis basis = basis_of("", names[i]);
        sri_sums_basis back;
        CHECK_OK(ctx, sri_sums_basis_write(ctx, &basis, kit_temp("b.basis")));
        CHECK_EQ(sri_sums_basis_read(ctx, kit_temp("b.basis"), &back), SPECREG_E_FORMAT);
        CHECK_HAS(specreg_last_error(ctx), "impossible name");
        CHECK(!back.rows);
    }
}

TEST(store, the_options_of_a_basis_name_no_files)
{
    const char *const lines[] = {"checkpoint=run.ck\n",
                                 "seed=1\nfeatures-file=f\n",
                                 "select=splits:s.txt\n",
                                 "select=file:v.csv\n",
                                 "select=ida:folder\n",
                                 "outer=splits:s.txt\n",
                                 "outputs=matrix:file=A.csv\n",
                                 "coding=code:file=C.csv\n",
                                 "labels=l.txt\n",
                                 "approx=rectangle:m=3,centers=file:c.txt\n",
                                 "approx=rectangle:m=3,centers=file : c.txt\n",
                                 "features=constant + file\t:f.csv\n",
                                 "outputs=matrix : file\t = A.csv\n",
                                 "select= splits :s.txt\n",
                                 "unlabelled=u.csv\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const sri_sums_basis basis = basis_of(lines[i], "rows.csv");
        specreg_options *o;
        CHECK_OK(ctx, specreg_options_new(ctx, &o));
        CHECK_EQ(sri_sums_basis_options_set(ctx, &basis, o), SPECREG_E_ARG);
        CHECK_HAS(specreg_last_error(ctx), "name files");
        specreg_options_free(o);
    }
}

/* A stranger's file does not lift the limits of who reads it; its other options count. */
TEST(store, the_options_of_a_basis_set_no_limits)
{
    const sri_sums_basis basis =
        basis_of("memory=900G\nseed=3\nmax-expansion=1000000\nthreads=64\ncalibrate=again\n",
                 "rows.csv");
    const char *const limits[] = {"memory", "max-expansion", "threads", "calibrate"};
    specreg_options *o;
    char *text;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, sri_sums_basis_options_set(ctx, &basis, o));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        CHECK(!o->value[sri_option_index(limits[i])]);
    CHECK(strcmp(o->value[sri_option_index("seed")], "3") == 0);
    CHECK_OK(ctx, specreg_options_set(ctx, o, "memory", "1G"));
    CHECK_OK(ctx, sri_sums_basis_options_text(ctx, o, &text));
    CHECK(strcmp(text, "seed=3\n") == 0);
    sri_free(text);
    specreg_options_free(o);
}
