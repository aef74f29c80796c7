/* Points: labels beside coordinates, components of vectors, subsets, and what a view shows of
 * them. */
#include "kernel/points.h"
#include "kit/kit.h"
#include "select/problem_data.h"

enum { N = 4, T = 2 };
static const double X[N * T] = {0, 1, 2, 3, 4, 5, 6, 7};

static void check_points(const sri_rows_view *view, const int64_t *row, const int32_t *label)
{
    for (int64_t i = 0; i < view->n; i++) {
        CHECK_EQ(sri_view_label(view, i), label[i]);
        CHECK(memcmp(sri_view_x(view, i), X + row[i] * T, T * sizeof *X) == 0);
    }
}

TEST(points, labels_lie_beside_the_coordinates)
{
    static const int32_t task[N] = {2, 0, -1, 1}, picked[2] = {-1, 2};
    static const int64_t some[2] = {2, 0};
    sri_rows_view rows = sri_view_dense(X, N, T);
    rows.label = task;
    sri_points *all, *part;
    CHECK_OK(ctx, sri_points_of_view(ctx, &rows, &all));
    CHECK(all->stored == SRI_STORED_DENSE && all->n == N && all->p == T);
    CHECK(sri_points_labelled(all) && !all->rows.components);
    CHECK_EQ(sri_points_centre(all, 2).label, -1);
    CHECK_OK(ctx, sri_points_subset(ctx, all, some, 2, &part));
    check_points(&part->rows, some, picked);
    sri_rows_view middle = sri_points_rows(all, 1, 2), last;
    static const int64_t one[1] = {1}, third[1] = {2};
    CHECK_OK(ctx, sri_view_gather(ctx, &middle, one, 1, &last)); /* by its number in the slice */
    check_points(&last, third, picked);
    sri_view_free(&last);
    sri_points_free(part);
    sri_points_free(all);
}

/* Some rows of a problem are expanded in the centres of all of them, and a model takes these over
 * with their coefficients, in place of the points. */
TEST(points, may_have_fewer_centres)
{
    enum { ROWS = 4, CENTRES = 2 };
    double x[ROWS * T] = {1, 2, 3, 4, 5, 6, 7, 8}, y[ROWS] = {0};
    static const int64_t chosen[CENTRES] = {3, 1}, some[3] = {0, 1, 2};
    sri_row_data rows = {.n = ROWS, .T = 1, .X = {.n = ROWS, .p = T, .x = x}, .Y = y};
    sri_point_data data;
    sri_points *part, *centres;
    CHECK_OK(ctx, sri_point_data_make(ctx, &rows, (sri_layout){.T = 1}, false, &data));
    sri_points *points = data.own.points;
    CHECK(sri_points_centres(points) == points);
    CHECK_OK(ctx, sri_points_subset(ctx, points, chosen, CENTRES, &data.centres));
    points->centres = data.centres;
    CHECK_OK(ctx, sri_points_subset(ctx, points, some, 3, &part));
    CHECK(sri_points_centres(part) == data.centres);
    CHECK_OK(ctx, sri_centres_take(ctx, &rows, &data, SRI_LAYOUT_ROWS, &centres));
    CHECK(centres->n == CENTRES && !data.centres && data.own.points == points);
    CHECK(sri_view_x(&centres->rows, 0)[0] == 7 && sri_view_x(&centres->rows, 1)[1] == 4);
    sri_points_free(centres);
    sri_points_free(part);
    sri_point_data_free(&data);
}

/* Vectors are stored once, and known as such where all their components are there, in order. */
TEST(points, whole_vectors_are_components)
{
    static const int64_t vector[N * T] = {0, 0, 1, 1, 2, 2, 3, 3};
    static const int32_t label[N * T] = {0, 1, 0, 1, 0, 1, 0, 1};
    const sri_rows_view vectors = sri_view_dense(X, N, T);
    const sri_rows_view all = sri_view_field(&vectors.x, vector, label, N * T);
    CHECK(all.components == T && !all.label && !all.vector && sri_view_labelled(&all));
    check_points(&all, vector, label);
    const sri_rows_view part = sri_view_slice(&all, 3, 4); /* begins within a vector */
    check_points(&part, vector + 3, label + 3);
    for (int64_t missing = 0; missing < N * T; missing++) {
        int64_t v[N * T - 1];
        int32_t l[N * T - 1];
        for (int64_t i = 0; i < N * T - 1; i++) {
            v[i] = vector[i + (i >= missing)];
            l[i] = label[i + (i >= missing)];
        }
        const sri_rows_view some = sri_view_field(&vectors.x, v, l, N * T - 1);
        CHECK(!some.components && sri_view_labelled(&some));
        check_points(&some, v, l);
    }
}

static void check_subset(specreg_context *ctx, const sri_points *all, const int64_t *which,
                         int64_t count, int64_t components, int64_t stored)
{
    sri_points *part;
    int64_t row[N * T];
    int32_t label[N * T];
    for (int64_t i = 0; i < count; i++) {
        row[i] = sri_view_row(&all->rows, which[i]);
        label[i] = sri_view_label(&all->rows, which[i]);
    }
    CHECK_OK(ctx, sri_points_subset(ctx, all, which, count, &part));
    CHECK_EQ(part->n, count);
    CHECK_EQ(part->rows.components, components);
    CHECK_EQ(part->rows.x.n, stored);
    check_points(&part->rows, row, label);
    sri_points_free(part);
}

/* A subset is of whole vectors again, or of single components; also where the set it is taken from
 * lacks some. */
TEST(points, subsets_of_fields_are_whole_where_their_vectors_are)
{
    static const int64_t vector[7] = {0, 0, 1, 2, 2, 3, 3}, ends[4] = {0, 1, 5, 6};
    static const int32_t label[7] = {0, 1, 1, 0, 1, 0, 1};
    static const int64_t with_gap[3] = {0, 1, 2}, turned[2] = {1, 0}, halves[2] = {0, 4};
    const sri_rows_view vectors = sri_view_dense(X, N, T);
    const sri_rows_view some = sri_view_field(&vectors.x, vector, label, 7);
    sri_points *all;
    CHECK_OK(ctx, sri_points_of_view(ctx, &some, &all));
    check_subset(ctx, all, ends, 4, T, 2);
    check_subset(ctx, all, with_gap, 3, 0, 2);
    check_subset(ctx, all, turned, 2, 0, 1);
    check_subset(ctx, all, halves, 2, 0, 2); /* the labels 0 and 1, of two vectors */
    sri_points_free(all);
}

TEST(points, row_numbers_follow_a_subset)
{
    static const double K[9] = {4, 1, -2, 1, 5, 0.5, -2, 0.5, 6};
    static const int64_t first[2] = {2, 0}, second[1] = {0};
    sri_points *all, *part, *one;
    CHECK_OK(ctx, sri_points_new(ctx, K, 3, 3, true, &all));
    CHECK(all->stored == SRI_STORED_INDEX && !all->index);
    CHECK_EQ(sri_points_centre(all, 1).index, 1);
    CHECK_OK(ctx, sri_points_subset(ctx, all, first, 2, &part));
    CHECK_OK(ctx, sri_points_subset(ctx, part, second, 1, &one));
    CHECK_EQ(sri_points_centre(part, 1).index, 0);
    CHECK_EQ(sri_points_centre(one, 0).index, 2);
    CHECK(memcmp(sri_view_x(&one->rows, 0), K + 6, 3 * sizeof *K) == 0);
    sri_points_free(one);
    sri_points_free(part);
    sri_points_free(all);
}
