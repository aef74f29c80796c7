/* Filters: values over 16 orders of magnitude against long double formulas, bounds and limits,
 * recurrences, steps, and the text form. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/reference.h"
#include "filter/filter.h"
#include "kit/kit.h"

static sri_filter parse(specreg_context *ctx, const char *text)
{
    sri_filter f;
    CHECK_OK(ctx, sri_filter_parse(ctx, text, &f));
    return f;
}

/* s from 1e-20 to 1, and 0. */
static double s_at(int i)
{
    return i == 0 ? 0 : pow(10, (double)(i - 200) / 10);
}
enum { S_COUNT = 201 };

static const double LAMBDAS[] = {1, 1e-1, 1e-3, 1e-6, 1e-10, 1e-14};
enum { N_LAMBDAS = 6 };

/* Relative errors of g and r where they are not tiny by cancellation of their own; `slack` counts
 * roundings: exp(e) has |e| of them. */
static void check_pair(const char *name, double g, double r, double s, real want_g, real want_r,
                       double roundings)
{
    CHECK_WORST(name, (double)fabsl(g - want_g), (double)(roundings * DBL_EPSILON * want_g));
    CHECK_WORST(name, (double)fabsl(r - want_r),
                (double)(roundings * DBL_EPSILON * want_r) + DBL_MIN);
    CHECK(r >= 0 && r <= 1);
    CHECK_NEAR(s * g + r, 1, 4 * DBL_EPSILON);
}

TEST(filter, resolvent_values_are_right_over_sixteen_orders)
{
    const sri_filter tik = parse(ctx, "tikhonov"), sho = parse(ctx, "showalter");
    const sri_filter it[3] = {parse(ctx, "iterated:order=1"), parse(ctx, "iterated"),
                              parse(ctx, "iterated:order=5")};
    static const int order[3] = {1, 2, 5};
    for (int i = 0; i < S_COUNT; i++) {
        const double s = s_at(i);
        double g[N_LAMBDAS], r[N_LAMBDAS];
        tik.ops->eval(&tik, s, LAMBDAS, N_LAMBDAS, g, r);
        for (int k = 0; k < N_LAMBDAS; k++) {
            const real l = LAMBDAS[k];
            check_pair("tikhonov", g[k], r[k], s, 1 / (s + l), l / (s + l), 3);
        }
        for (int q = 0; q < 3; q++) {
            it[q].ops->eval(&it[q], s, LAMBDAS, N_LAMBDAS, g, r);
            for (int k = 0; k < N_LAMBDAS; k++) {
                const real e = -order[q] * log1pl((real)s / LAMBDAS[k]);
                check_pair("iterated", g[k], r[k], s,
                           s > 0 ? -expm1l(e) / s : (real)order[q] / LAMBDAS[k], expl(e),
                           4 + 2 * (double)-e);
            }
        }
        sho.ops->eval(&sho, s, LAMBDAS, N_LAMBDAS, g, r);
        for (int k = 0; k < N_LAMBDAS; k++) {
            const real e = -(real)s / LAMBDAS[k];
            check_pair("showalter", g[k], r[k], s, s > 0 ? -expm1l(e) / s : 1 / (real)LAMBDAS[k],
                       expl(e), 4 + 2 * (double)-e);
        }
    }
}

TEST(filter, a_cut_off_keeps_what_is_not_below_it)
{
    const sri_filter f = parse(ctx, "tsvd");
    static const double lambda[3] = {0.5, 0.25, 0.125};
    double g[3], r[3];
    f.ops->eval(&f, 0.25, lambda, 3, g, r);
    CHECK(g[0] == 0 && r[0] == 1);
    CHECK(g[1] == 4 && r[1] == 0 && g[2] == 4 && r[2] == 0); /* s = lambda is kept */
    f.ops->eval(&f, 0, lambda, 3, g, r);
    CHECK(g[0] == 0 && g[2] == 0 && r[2] == 1);
}

static const double STEPS[] = {1, 2, 3, 10, 100, 1000};
enum { N_STEPS = 6 };

TEST(filter, landweber_values_are_right_over_sixteen_orders)
{
    static const double taus[] = {1, 0.25, 1.75}; /* beyond 1: (1 - tau s) is negative near s = 1 */
    for (int m = 0; m < 3; m++) {
        sri_filter f = parse(ctx, "landweber");
        f.step = taus[m];
        for (int i = 0; i < S_COUNT; i++) {
            const double s = s_at(i), x = f.step * s;
            double g[N_STEPS], r[N_STEPS];
            f.ops->eval(&f, s, STEPS, N_STEPS, g, r);
            for (int k = 0; k < N_STEPS; k++) {
                const real want_r = powl(1 - (real)x, (real)STEPS[k]);
                const real want_g = s == 0    ? (real)STEPS[k] * f.step
                                    : x < 0.5 ? -expm1l((real)STEPS[k] * log1pl(-(real)x)) / s
                                              : (1 - want_r) / s;
                /* pow magnifies the rounding of 1 - x t times, exp that of its argument */
                const double of_r = 4 + 2 * STEPS[k] * (x < 0.5 ? -log1p(-x) : 1);
                CHECK_WORST("landweber r", (double)fabsl(r[k] - want_r),
                            of_r * DBL_EPSILON * (double)fabsl(want_r) + DBL_MIN);
                CHECK_WORST("landweber g", (double)fabsl(g[k] - want_g),
                            (4 * (double)want_g + (s > 0 ? of_r * (double)fabsl(want_r) / s : 0)) *
                                DBL_EPSILON);
                CHECK(fabs(r[k]) <= 1 && (taus[m] > 1 || r[k] >= 0));
                CHECK_NEAR(s * g[k] + r[k], 1, 4 * DBL_EPSILON);
            }
        }
    }
}

TEST(filter, one_step_of_landweber_is_tau_and_rounding_beyond_one_does_no_harm)
{
    sri_filter f = parse(ctx, "landweber");
    static const double one = 1, odd = 7, even = 8;
    double g, r;
    f.step = 0.3;
    for (int i = 0; i < S_COUNT; i++) {
        f.ops->eval(&f, s_at(i), &one, 1, &g, &r);
        CHECK_NEAR(g / 0.3, 1, 4 * DBL_EPSILON);
    }
    f.step = 1;
    f.ops->eval(&f, 1 + 4 * DBL_EPSILON, &odd, 1, &g, &r);
    CHECK(fabs(r) <= 1e-100 && fabs(g - 1) < 1e-15);
    f.ops->eval(&f, 1 + 4 * DBL_EPSILON, &even, 1, &g, &r);
    CHECK(r >= 0 && r <= 1e-100);
    sri_filter nu = parse(ctx, "nu");
    nu.ops->eval(&nu, 1 + 4 * DBL_EPSILON, &odd, 1, &g, &r);
    double g1, r1;
    nu.ops->eval(&nu, 1, &odd, 1, &g1, &r1);
    CHECK(g == g1 && r == r1);
}

/* r_t is a polynomial; the three-term recurrence in long double gives it.  Each of t steps commits
 * a rounding, which the later ones magnify up to t times. */
TEST(filter, nu_values_follow_the_recurrence)
{
    static const double nus[] = {0.5, 1, 5};
    for (int m = 0; m < 3; m++) {
        sri_filter f = parse(ctx, "nu");
        f.param[0] = nus[m];
        f.step = 0.5;
        double g0[N_STEPS], r0[N_STEPS];
        f.ops->eval(&f, 0, STEPS, N_STEPS, g0, r0);
        for (int i = 0; i < S_COUNT; i++) {
            const double s = 2 * s_at(i); /* x = s / 2 up to 1 */
            double g[N_STEPS], r[N_STEPS];
            f.ops->eval(&f, s, STEPS, N_STEPS, g, r);
            real a = 0, before = 0;
            int next = 0;
            for (int64_t t = 1; t <= 1000; t++) {
                real u, w;
                ref_coefficients(nus[m], t, &u, &w);
                const real new_a = a + u * (a - before) + w * (1 - 0.5L * s * a);
                before = a;
                a = new_a;
                if ((double)t != STEPS[next])
                    continue;
                const double unit = 4 * DBL_EPSILON * (double)(t * t);
                CHECK_WORST("nu g", (double)fabsl(g[next] - a / 2), unit * g0[next]);
                CHECK_WORST("nu r", (double)fabsl(r[next] - (1 - s * a / 2)), unit);
                CHECK(fabs(r[next]) <= 1 + unit);
                next++;
            }
        }
        CHECK_NEAR(g0[0], 0.5 * (4 * nus[m] + 2) / (4 * nus[m] + 1), 4 * DBL_EPSILON);
        CHECK_SAME(r0[5], 1.0);
    }
}

/* The residual polynomials of the iterations in closed form, with x = tau s:
 *     landweber:theta  prod_i (1 - x i^-theta)
 *     nesterov         (1-x)^((t+1)/2) C_{t-1}(sqrt(1-x)) / C_{t-1}(1), C of Gegenbauer's order
 *                      (beta+1)/2
 *     heavyball        m^(t/2) (U_t(z) - sqrt(m) U_{t-1}(z)), z = (1+m-x) / (2 sqrt m)
 *     chebyshev        T_t((1+l-2x)/(1-l)) / T_t((1+l)/(1-l)) */
static real landweber_residual(real theta, int64_t t, real x)
{
    real r = 1;
    for (int64_t i = 1; i <= t; i++)
        r *= 1 - x * powl((real)i, -theta);
    return r;
}

static real gegenbauer(real order, int64_t n, real x)
{
    real c = 1, before = 0;
    for (int64_t k = 1; k <= n; k++) {
        const real next = (2 * x * (k + order - 1) * c - (k + 2 * order - 2) * before) / (real)k;
        before = c;
        c = next;
    }
    return c;
}

static real nesterov_residual(real beta, int64_t t, real x)
{
    const real order = (beta + 1) / 2;
    return powl(1 - x, (real)(t + 1) / 2) * gegenbauer(order, t - 1, sqrtl(1 - x)) /
           gegenbauer(order, t - 1, 1);
}

static real heavyball_residual(real m, int64_t t, real x)
{
    const real z = (1 + m - x) / (2 * sqrtl(m)), q = sqrtl(m);
    real U, U_before;
    if (fabsl(z) < 1) {
        const real angle = acosl(z);
        U = sinl((real)(t + 1) * angle) / sinl(angle);
        U_before = sinl((real)t * angle) / sinl(angle);
    } else {
        const real angle = acoshl(z);
        U = angle > 0 ? sinhl((real)(t + 1) * angle) / sinhl(angle) : (real)(t + 1);
        U_before = angle > 0 ? sinhl((real)t * angle) / sinhl(angle) : (real)t;
    }
    return powl(m, (real)t / 2) * (U - q * U_before);
}

static real chebyshev(int64_t t, real x)
{
    return fabsl(x) <= 1 ? cosl((real)t * acosl(x)) : coshl((real)t * acoshl(x));
}

static real chebyshev_residual(real l, int64_t t, real x)
{
    return chebyshev(t, (1 + l - 2 * x) / (1 - l)) / chebyshev(t, (1 + l) / (1 - l));
}

/* Bounds as for nu: every step commits a rounding, and a second-order recurrence magnifies it up to
 * t times. */
TEST(filter, residual_polynomials_of_iterations_are_those_of_their_theory)
{
    static const struct {
        const char *text;
        real (*residual)(real, int64_t, real);
        real p;
    } c[] = {{"landweber:theta=0.25", landweber_residual, 0.25L},
             {"landweber:theta=0.75", landweber_residual, 0.75L},
             {"nesterov", nesterov_residual, 2},
             {"nesterov:beta=5", nesterov_residual, 5},
             {"heavyball", heavyball_residual, 0.9L},
             {"heavyball:momentum=0.5", heavyball_residual, 0.5L},
             {"chebyshev", chebyshev_residual, 0.01L},
             {"chebyshev:lower=0.25", chebyshev_residual, 0.25L}};
    for (size_t m = 0; m < sizeof c / sizeof *c; m++) {
        sri_filter f = parse(ctx, c[m].text);
        f.step = 0.5;
        double g0[N_STEPS], r0[N_STEPS];
        f.ops->eval(&f, 0, STEPS, N_STEPS, g0, r0);
        for (int i = 1; i < S_COUNT; i++) {
            const double s = 2 * s_at(i) * 0.999;
            double g[N_STEPS], r[N_STEPS];
            f.ops->eval(&f, s, STEPS, N_STEPS, g, r);
            for (int k = 0; k < N_STEPS; k++) {
                const real want = c[m].residual(c[m].p, (int64_t)STEPS[k], 0.5L * s);
                const double unit = 4 * DBL_EPSILON * STEPS[k] * STEPS[k];
                CHECK_WORST(c[m].text, (double)fabsl(r[k] - want), unit);
                CHECK_NEAR(s * g[k] + r[k], 1, unit);
                CHECK(fabs(r[k]) <= 1 + unit && g[k] <= g0[k] * (1 + unit));
            }
        }
    }
}

/* g of heavyball and not r alone, also around the two double roots of its recurrence, where the
 * closed form changes.  An error of one step lasts 1 / (1 - sqrt m) steps.  At the longest steps
 * |r| grows up to (1+m)/(1-m): errors are relative to it.  Beyond the second double root a rounding
 * of x moves the larger root by up to 4/(1-m) times as much.  Beyond the first one 1 - r
 * cancels. */
TEST(filter, heavyball_has_the_values_of_its_recurrence)
{
    static const double momentum[] = {0, 1e-3, 0.25, 0.9, 0.99, 0.999};
    static const double t[] = {1, 2, 5, 20, 57, 100, 999, 1000, 5000, 20000};
    static const double off[] = {-0.3, -1e-4, -1e-10, 0, 1e-15, 1e-9, 1e-3, 0.4};
    enum { N_T = 10, N_OFF = 8 };
    for (int m = 0; m < 6; m++) {
        sri_filter f = parse(ctx, "heavyball");
        const real q = f.param[0] = momentum[m];
        const double lasts = 1 / (1 - sqrt(momentum[m]));
        f.step = 0.5;
        for (int i = 0; i < S_COUNT + 2 * N_OFF; i++) {
            const double root = (i - S_COUNT) % 2 ? 1 - sqrt(momentum[m]) : 1 + sqrt(momentum[m]);
            const double most = 4 * (1 + momentum[m]);
            const double at =
                i < S_COUNT ? most * s_at(i) : 2 * root * root * (1 + off[(i - S_COUNT) / 2]);
            const double s = fmin(at, most);
            const real x = 0.5L * s;
            double g[N_T], r[N_T];
            real a = 1, e = 1 - x, a0 = 0, e0 = 1;
            int64_t i_t = 1;
            const double second = 1 + sqrt(momentum[m]),
                         moved = x > second * second ? 4 / (1 - momentum[m]) : 1;
            f.ops->eval(&f, s, t, N_T, g, r);
            for (int k = 0; k < N_T; k++) {
                for (; i_t < (int64_t)t[k]; i_t++) {
                    const real a1 = a + q * (a - a0) + e, e1 = e + q * (e - e0) - x * e;
                    a0 = a, e0 = e, a = a1, e = e1;
                }
                const double unit =
                    8 * DBL_EPSILON * t[k] * fmin(t[k], lasts) * fmax(1, (double)fabsl(e)) * moved;
                CHECK_WORST("heavyball r", (double)fabsl(r[k] - e), unit);
                CHECK_WORST("heavyball g", (double)fabsl(g[k] - a / 2),
                            unit * (x * lasts * lasts > 1 ? 1 / s : (double)a / 2));
            }
        }
    }
}

/* g of the closed form, and not r alone: from eigenvalues where 1 - r is all but 0 to those beyond
 * 1 / tau, which long steps reach.  The recurrence in long double has the ratios of Chebyshev's
 * polynomials at 0 from their own, T_{i+1} = 2 z T_i - T_{i-1}. */
TEST(filter, chebyshev_has_the_values_of_its_recurrence)
{
    static const double lower[] = {1e-4, 0.01, 0.25, 0.9}, t[] = {1, 2, 3, 10, 57, 100, 1000};
    enum { N_T = 7 };
    for (int m = 0; m < 4; m++) {
        sri_filter f = parse(ctx, "chebyshev");
        const real l = f.param[0] = lower[m];
        f.step = 0.5;
        for (int i = 0; i < S_COUNT; i++) {
            const double s = 2 * s_at(i) * (1 + 0.9 * lower[m]);
            const real x = 0.5L * s;
            double g[N_T], r[N_T];
            real a = 2 / (1 + l), e = 1 - 2 * x / (1 + l), a0 = 0, e0 = 1, p = (1 - l) / (1 + l);
            int64_t i_t = 1;
            f.ops->eval(&f, s, t, N_T, g, r);
            for (int k = 0; k < N_T; k++) {
                for (; i_t < (int64_t)t[k]; i_t++) {
                    const real next = 1 / (2 * (1 + l) / (1 - l) - p), u = p * next;
                    const real w = 4 * next / (1 - l), a1 = a + u * (a - a0) + w * e;
                    const real e1 = e + u * (e - e0) - w * x * e;
                    a0 = a, e0 = e, a = a1, e = e1, p = next;
                }
                const double unit = 8 * DBL_EPSILON * t[k];
                CHECK_WORST("chebyshev r", (double)fabsl(r[k] - e), unit);
                CHECK_WORST("chebyshev g", (double)fabsl(g[k] - a / 2),
                            unit * (x > 1 ? 2 / s : (double)a / 2));
            }
        }
    }
}

/* The end of the range of steps that the filter names is where the iteration begins to grow. */
TEST(filter, iterations_stay_bounded_up_to_their_largest_step_and_no_further)
{
    static const char *const text[] = {"landweber",
                                       "nu",
                                       "nu:nu=3",
                                       "nesterov",
                                       "nesterov:beta=6",
                                       "heavyball",
                                       "heavyball:momentum=0.5",
                                       "chebyshev",
                                       "chebyshev:lower=0.3"};
    for (size_t m = 0; m < sizeof text / sizeof *text; m++) {
        sri_filter f = parse(ctx, text[m]);
        const double most = f.ops->iteration->largest_step(&f);
        for (int beyond = 0; beyond < 2; beyond++) {
            real e = 1, before = 1, top = 1;
            for (int64_t i = 1; i <= 2000; i++) { /* the recurrence itself: eval cuts s off */
                const sri_step by = f.ops->iteration->recurrence(&f, i);
                const real x = most * (beyond ? 1.02L : 1), ahead = e + by.v * (e - before);
                const real next = e + by.u * (e - before) - by.w * x * ahead;
                before = e;
                e = next;
                top = fmaxl(top, fabsl(e));
            }
            CHECK(beyond ? top > 1e6L : top < 20); /* (1+m)/(1-m) of heavyball with m = 0.9 */
        }
    }
}

/* sup over x of x^q |r_t(x)| falls as t^(-2q) (nesterov) up to the qualification q = (beta+1)/4. */
TEST(filter, nesterov_reaches_its_qualification_and_no_more)
{
    enum { GRID = 4000 };
    static const double betas[] = {1, 2, 5}, t[] = {64, 256, 1024};
    for (int m = 0; m < 3; m++) {
        sri_filter f = parse(ctx, "nesterov");
        f.param[0] = betas[m];
        for (int more = 0; more < 2; more++) {
            const double q = (betas[m] + 1) / 4 + more * 0.5;
            double sup[3] = {0}, g[3], r[3];
            for (int i = 0; i <= GRID; i++) {
                const double x = pow(sin(1.5707963267948966 * i / GRID), 2);
                f.ops->eval(&f, x, t, 3, g, r);
                for (int k = 0; k < 3; k++)
                    sup[k] = fmax(sup[k], pow(x, q) * fabs(r[k]) * pow(t[k], 2 * q));
            }
            if (more)
                CHECK(sup[2] > 1.5 * sup[1]);
            else
                CHECK_NEAR(sup[2] / sup[1], 1, 0.1);
        }
    }
}

/* sup over x of x^nu |r_t(x)| <= c t^{-2 nu}, and no better: what the method's name promises.  The
 * grid is fine enough for polynomials of this degree; c has settled at t = 128. */
TEST(filter, nu_reaches_its_qualification)
{
    enum { GRID = 4000 };
    static const double nus[] = {0.5, 1, 2}, t[] = {8, 32, 128, 512};
    for (int m = 0; m < 3; m++) {
        sri_filter f = parse(ctx, "nu");
        f.param[0] = nus[m];
        double sup[4] = {0}, g[4], r[4];
        for (int i = 0; i <= GRID; i++) {
            const double angle = 1.5707963267948966 * i / GRID, x = pow(sin(angle), 2);
            f.ops->eval(&f, x, t, 4, g, r);
            for (int k = 0; k < 4; k++)
                sup[k] = fmax(sup[k], pow(x, nus[m]) * fabs(r[k]) * pow(t[k], 2 * nus[m]));
        }
        CHECK_NEAR(sup[3] / sup[2], 1, 0.1);
    }
}

TEST(filter, iterated_tikhonov_saturates_at_its_order_and_landweber_does_not)
{
    static const double lambda[2] = {1e-3, 1e-6};
    double g[2], r[2];
    for (int q = 1; q <= 3; q++) { /* sup s^q r ~ lambda^q, but sup s^(q+1) r ~ lambda^q too */
        sri_filter f = parse(ctx, "iterated");
        f.param[0] = q;
        f.ops->eval(&f, 1, lambda, 2, g, r);
        CHECK_NEAR(r[1] / r[0] / pow(1e-3, q), 1, 0.01);
    }
}

/* The lambda that corresponds to t steps, which fall as a power of it. */
static double lambda_of(const sri_filter *f, double t)
{
    const sri_iteration *it = f->ops->iteration;
    const double at_one = it->steps_for(f, 1), power = log2(it->steps_for(f, 0.25) / at_one) / 2;
    return pow(at_one / t, 1 / power);
}

/* |g| <= B / lambda and |s g| <= D for s in [0, 1], B and D as `specreg filters` prints them. */
TEST(filter, constants_of_the_theory_hold)
{
    static const double lambda[3] = {0.5, 1e-2, 1e-5}, t[3] = {1, 7, 300};
    for (int i = 0; sri_filter_at(i); i++) {
        const sri_filter_ops *ops = sri_filter_at(i);
        CHECK(ops->about && ops->about->g && ops->about->r && ops->about->qualification);
        if (!ops->eval)
            continue;
        const sri_filter f = parse(ctx, ops->name);
        const double B =
            strcmp(ops->about->bound_g, "q") == 0 ? f.param[0] : atof(ops->about->bound_g);
        const double D = atof(ops->about->bound_sg);
        double g[3], r[3];
        CHECK(B >= 1 && D >= 1);
        for (int j = 0; j <= 1000; j++) {
            const double s = (double)j / 1000;
            ops->eval(&f, s, ops->iteration ? t : lambda, 3, g, r);
            for (int k = 0; k < 3; k++) {
                const double l = ops->iteration ? lambda_of(&f, t[k]) : lambda[k];
                CHECK(fabs(g[k]) * l <= B * (1 + 1e-12) && fabs(s * g[k]) <= D * (1 + 1e-12));
            }
        }
    }
}

TEST(filter, a_users_filter_is_asked_with_its_parameters)
{
    static const double lambda[2] = {0.5, 0.25};
    double g[2], r[2];
    extern double two_over(double, double, const double *, void *);
    static const specreg_param_def params[] = {{"c", 3}};
    const specreg_filter_def def = {sizeof def, "mine", two_over, params, 1, NULL, NULL};
    CHECK_OK(ctx, specreg_register_filter(ctx, &def));
    const sri_filter f = parse(ctx, "mine:c=2");
    CHECK_STR(sri_filter_name(&f), "mine");
    f.ops->eval(&f, 0.125, lambda, 2, g, r);
    CHECK(g[0] == 4 && g[1] == 8 && r[0] == 0.5 && r[1] == 0);
    CHECK_SAME(parse(ctx, "mine").param[0], 3.0);
    CHECK_FAILS(ctx, specreg_register_filter(ctx, &def), SPECREG_E_ARG, "registered already");
    const specreg_filter_def taken = {sizeof taken, "nu", two_over, NULL, 0, NULL, NULL};
    CHECK_FAILS(ctx, specreg_register_filter(ctx, &taken), SPECREG_E_ARG, "built in");
    specreg_filter_def steps = {sizeof steps, "steps", two_over, params, 1, NULL, "t"};
    CHECK_OK(ctx, specreg_register_filter(ctx, &steps));
    CHECK(parse(ctx, "steps").path == SRI_PATH_T);
    steps.name = "older"; /* compiled before there was a path */
    steps.struct_size = offsetof(specreg_filter_def, path);
    CHECK_OK(ctx, specreg_register_filter(ctx, &steps));
    CHECK(parse(ctx, "older").path == SRI_PATH_LAMBDA);
    steps = (specreg_filter_def){sizeof steps, "other", two_over, NULL, 0, NULL, "time"};
    CHECK_FAILS(ctx, specreg_register_filter(ctx, &steps), SPECREG_E_ARG,
                "lambda or t, not 'time'");
}
double two_over(double s, double lambda, const double *params, void *payload);
double two_over(double s, double lambda, const double *params, void *payload)
{
    (void)s, (void)payload;
    return params[0] / lambda;
}

TEST(filter, mistakes_are_named)
{
    static const char *const bad[][2] = {
        {"nyu", "unknown filter 'nyu' (did you mean 'nu'?"},
        {"ridge-regression", "unknown filter 'ridge-regression' (known:"},
        {"nu:nu=0", "nu must be greater than 0, not 0"},
        {"nu:nu=x", "filter nu: nu: 'x' is not a number"},
        {"nu:step=0", "step must be greater than 0, not 0"},
        {"nu:step=fast", "step: 'fast' is not a number"},
        {"iterated:order=1.5", "order must be a whole number"},
        {"iterated:order=0", "order must be at least 1, not 0"},
        {"tikhonov:lambda=1", "unknown parameter of filter tikhonov 'lambda'"},
        {"tikhonov:1", "write '1' as key=value"},
        {"tikhonov:step=1", "unknown parameter of filter tikhonov 'step'"},
        {"cg:norm=max", "norm must be error or residual, not 'max'"},
        {"landweber:theta=1", "theta must be at most 0.99, not 1"},
        {"landweber:theta=-0.1", "theta must be at least 0, not -0.1"},
        {"landweber:step=2.1/norm",
         "step=2.1/norm is too long, the iteration diverges; at most 2/"},
        {"landweber:step=x/norm", "step: 'x' is not a number"},
        {"landweber:step=0/norm", "step must be greater than 0, not 0"},
        {"nu:step=2/norm", "at most 1/norm"},
        {"heavyball:momentum=1", "momentum must be at most 0.999, not 1"},
        {"chebyshev:lower=0", "lower must be greater than 0, not 0"},
        {"nesterov:momentum=1", "unknown parameter of filter nesterov 'momentum'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sri_filter f;
        CHECK_FAILS(ctx, sri_filter_parse(ctx, bad[i][0], &f), SPECREG_E_ARG, bad[i][1]);
    }
}

/* ------------------------------------------------------------------------------- steps */

/* The largest eigenvalue of K/n by squaring the matrix: 2^40 steps of the power method. */
static real largest_by_squaring(int64_t n, const double *K)
{
    real *A = real_new(n * n), *B = real_new(n * n), up = 0, down = 0;
    for (int64_t j = 0; j < n * n; j++)
        A[j] = (real)K[j] / (real)n;
    for (int pass = 0; pass < 40; pass++) {
        real trace = 0;
        for (int64_t a = 0; a < n; a++)
            trace += A[a * n + a];
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b <= a; b++) {
                real sum = 0;
                for (int64_t c = 0; c < n; c++)
                    sum += A[a * n + c] * A[b * n + c];
                B[a * n + b] = B[b * n + a] = sum / (trace * trace);
            }
        memcpy(A, B, (size_t)(n * n) * sizeof *A);
    }
    int64_t col = 0;
    for (int64_t a = 0; a < n; a++)
        col = A[a * n + a] > A[col * n + col] ? a : col;
    for (int64_t a = 0; a < n; a++) { /* the Rayleigh quotient of the largest column */
        real sum = 0;
        for (int64_t b = 0; b < n; b++)
            sum += (real)K[a * n + b] / (real)n * A[b * n + col];
        up += sum * A[a * n + col];
        down += A[a * n + col] * A[a * n + col];
    }
    free(B);
    free(A);
    return up / down;
}

/* step=norm: 1/s_max, with s_max at most 1e-6 above the largest eigenvalue and not below it.  The
 * kernels range from one dominant eigenvalue to a spectrum that is almost flat. */
TEST(filter, the_norm_is_found_from_above)
{
    static const char *const kernels[] =
        {"linear",          "poly:degree=2",   "rbf:sigma=0.01",
         "rbf:sigma=0.15",  "rbf:sigma=0.3",   "rbf:sigma=1",
         "rbf:sigma=100",   "laplace:sigma=1", "laplace:sigma=0.05",
         "matern:sigma=0.2"};
    static const int64_t rows[] = {1, 2, 5, 41, 100, 100};
    double *x = kit_normal(6, 100, 2);
    for (int m = 0; m < 6; m++)
        for (int i = 0; i < 10; i++) {
            for (int k = 0; m == 5 && k < 100; k++) { /* a regular grid, the hard case */
                x[2 * k] = k / 10 / 10.0;
                x[2 * k + 1] = k % 10 / 10.0;
            }
            const int64_t n = rows[m];
            sri_kernel_grid grid;
            sri_points *pts;
            sri_op *op;
            CHECK_OK(ctx, sri_kernel_grid_parse(ctx, kernels[i], &grid));
            CHECK_OK(ctx, sri_points_new(ctx, x, n, 2, false, &pts));
            const sri_kernel k = sri_kernel_grid_at(&grid, 0);
            CHECK_OK(ctx, sri_op_kernel(ctx, &k, pts, &op));
            double *K = malloc((size_t)(n * n) * sizeof *K);
            CHECK_OK(ctx, sri_op_fill(ctx, op, true, K));
            const real top = largest_by_squaring(n, K);
            sri_filter f = parse(ctx, "landweber:step=norm");
            CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
            CHECK_WORST("step=norm: s_max above", (double)(1 / (f.step * top) - 1), 1e-6);
            CHECK_WORST("step=norm: s_max below", (double)(1 - 1 / (f.step * top)),
                        kit_tolerance(n, 1));
            free(K);
            sri_op_free(op);
            sri_points_free(pts);
            sri_kernel_grid_free(&grid);
        }
    free(x);
}

/* diag(1, 2, 4): kappa^2 = 4, and s_max = 4/3. */
TEST(filter, steps_are_chosen_and_checked)
{
    static const double K[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4}, zero[9] = {0};
    sri_op *op;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, 3, &op));
    sri_filter f = parse(ctx, "nu");
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    CHECK_SAME(f.step, 0.25);
    f = parse(ctx, "landweber:step=norm");
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    CHECK_NEAR(f.step, 0.75, 1e-14);
    f = parse(ctx, "landweber:step=2/norm");
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    CHECK_NEAR(f.step, 1.5, 1e-14);
    f = parse(ctx, "heavyball:momentum=0.5,step=2.24"); /* 3 / s_max = 2.25 */
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    f = parse(ctx, "heavyball:momentum=0.5,step=2.26");
    CHECK_FAILS(ctx, sri_filter_prepare(ctx, &f, op), SPECREG_E_NUMERIC, "at most 2.25 here");
    f = parse(ctx, "landweber:step=1.49"); /* below 2 / s_max */
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    CHECK_SAME(f.step, 1.49);
    f = parse(ctx, "landweber:step=1.51");
    CHECK_FAILS(ctx, sri_filter_prepare(ctx, &f, op), SPECREG_E_NUMERIC, "at most 1.5 here");
    f = parse(ctx, "nu:step=0.74");
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    f = parse(ctx, "nu:step=0.76");
    CHECK_FAILS(ctx, sri_filter_prepare(ctx, &f, op), SPECREG_E_NUMERIC, "at most 0.75 here");
    f = parse(ctx, "tikhonov");
    CHECK_OK(ctx, sri_filter_prepare(ctx, &f, op));
    sri_op_free(op);
    CHECK_OK(ctx, kit_op_matrix(ctx, zero, 3, &op));
    f = parse(ctx, "landweber");
    CHECK_FAILS(ctx, sri_filter_prepare(ctx, &f, op), SPECREG_E_NUMERIC, "zero on every row");
    sri_op_free(op);
}
