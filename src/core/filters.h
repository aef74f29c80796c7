/* The list of filters, in the order in which they are listed: X(id, words), where `words` is what
 * the help of --filter says of it.  The list feeds the registry (filter/registry.c) and that help;
 * sri_filter_ID is in filter/ID.c. */
#ifndef SRI_CORE_FILTERS_H
#define SRI_CORE_FILTERS_H

#define SRI_FILTER_LIST(X)            \
    X(tikhonov, "tikhonov")           \
    X(landweber, ", landweber")       \
    X(nu, ", nu")                     \
    X(nesterov, ", nesterov")         \
    X(heavyball, ", heavyball")       \
    X(chebyshev, ", chebyshev")       \
    X(tsvd, ", tsvd")                 \
    X(iterated, ", iterated:order=2") \
    X(showalter, ", showalter")       \
    X(cg, ", cg:norm=error|residual")

#endif
