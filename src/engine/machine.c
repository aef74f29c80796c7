#include "engine/machine.h"

#include <math.h>

#include "core/openmp.h"

const double sri_block_bytes[SRI_BLOCKS] = {1 << 20, 4 << 20, 16 << 20, 64 << 20};

/* Two cores of an AMD EPYC at 2.6 GHz with AVX-512 and OpenBLAS; more threads have more of the
 * caches and of arithmetic, but share the memory. */
sri_machine sri_machine_default(int threads)
{
    sri_machine m = {.one = {.threads = 1,
                             .gemm = 52e9,
                             .read = {60e9, 40e9, 24e9, 20e9},
                             .values = 4e8,
                             .scalar = 4e8,
                             .region = 1e-7}};
    m.all = m.one;
    m.all.threads = threads < 1 ? 1 : threads;
    const double t = m.all.threads;
    m.all.gemm *= t;
    m.all.values *= t;
    for (int i = 0; i < SRI_BLOCKS; i++)
        m.all.read[i] *= i < 2 ? t : fmin(t, 1 + 0.1 * t);
    if (t > 1)
        m.all.region = 2e-6 + 5e-7 * t;
    return m;
}

sri_rates sri_machine_now(const sri_machine *machine)
{
    const int threads = omp_get_max_threads();
    const sri_machine built_in = sri_machine_default(threads);
    machine = machine ? machine : &built_in;
    return threads == 1 ? machine->one : machine->all;
}

/* Bytes a second over a block of that size: between two sizes that were measured the time
 * changes with the logarithm of the size. */
static double read_rate(const sri_rates *rates, double block)
{
    int i = 0;
    while (i < SRI_BLOCKS && sri_block_bytes[i] < block)
        i++;
    if (i == 0 || i == SRI_BLOCKS)
        return rates->read[i ? i - 1 : 0];
    const double share =
        log(block / sri_block_bytes[i - 1]) / log(sri_block_bytes[i] / sri_block_bytes[i - 1]);
    return 1 / ((1 - share) / rates->read[i - 1] + share / rates->read[i]);
}

double sri_rates_seconds(const sri_rates *rates, const sri_cost *cost)
{
    return cost->flops / rates->gemm +
           fmax(cost->traffic / read_rate(rates, cost->working_set),
                cost->overlapped_flops / rates->gemm) +
           cost->random_bytes / read_rate(rates, cost->random_working_set) +
           cost->scalar / rates->scalar + cost->regions * rates->region;
}

double sri_rates_value_seconds(const sri_rates *rates, double values, double flops)
{
    return values * (1 / rates->values + flops / rates->gemm);
}

bool sri_rates_plausible(const sri_rates *rates)
{
    bool good = rates->threads >= 1 && rates->gemm > 1e6 && rates->gemm < 1e17 &&
                rates->values > 1e4 && rates->values < 1e15 && rates->scalar > 1e5 &&
                rates->scalar < 1e13 && rates->region > 0 && rates->region < 1;
    for (int i = 0; i < SRI_BLOCKS; i++)
        good = good && rates->read[i] > 1e5 && rates->read[i] < 1e16;
    return good;
}
