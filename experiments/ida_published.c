/* Read from the text of the paper.  Table 2: all of `by`.  Table 3: the best of the seven
 * methods of the benchmark's page with its name, and the column of the SVM from the same page;
 * where the SVM is the best of seven the two agree.  Its third column repeats the nu-method of
 * Table 2, number by number but for the deviation of german (2.08 there; the 2.34 of Table 2 is
 * kept here). Two means of Table 2 come with deviations five times those of the others on the
 * same set: iterated Tikhonov on flare_solar (30.92 +- 10.47) and titanic (20.20 +- 7.17).  They
 * stand here as printed. */
#include "ida_published.h"

const char *const ida_method_filter[IDA_METHODS] = {
    "landweber", "nu", "tikhonov", "tsvd", "iterated",
};
const char *const ida_method_title[IDA_METHODS + 1] = {
    "LANDWEBER", "nu-METH", "RLS", "TSVD", "IT", "SVM",
};

/* clang-format off */
const ida_published ida_published_sets[IDA_SETS] = {
    {"banana",
     {{11.70, 0.68}, {10.67, 0.53}, {11.22, 0.61}, {11.74, 0.63}, {10.96, 0.56}},
     "LP_REG-ADA", {10.73, 0.43}, {11.53, 0.66}},
    {"breast_cancer",
     {{25.38, 4.21}, {25.35, 4.24}, {25.12, 4.32}, {26.81, 4.32}, {25.26, 4.14}},
     "KFD", {24.77, 4.63}, {26.04, 4.74}},
    {"diabetis",
     {{23.70, 1.80}, {23.60, 1.82}, {24.40, 1.79}, {24.29, 0.2}, {23.63, 1.88}},
     "KFD", {23.21, 1.63}, {23.53, 1.73}},
    {"flare_solar",
     {{34.27, 1.57}, {34.25, 1.59}, {34.31, 1.607}, {32.43, 0.90}, {30.92, 10.47}},
     "SVM-RBF", {32.43, 1.82}, {32.43, 1.82}},
    {"german",
     {{23.20, 2.28}, {23.14, 2.34}, {23.37, 2.11}, {24.67, 2.60}, {23.31, 2.24}},
     "SVM-RBF", {23.61, 2.07}, {23.61, 2.07}},
    {"heart",
     {{15.94, 3.37}, {15.48, 3.25}, {15.71, 3.20}, {15.58, 3.41}, {15.60, 3.41}},
     "SVM-RBF", {15.95, 3.26}, {15.95, 3.26}},
    {"image",
     {{6.42, 0.82}, {2.78, 0.56}, {2.68, 0.54}, {2.99, 0.48}, {2.72, 0.53}},
     "ADA_REG", {2.67, 0.61}, {2.96, 0.6}},
    {"ringnorm",
     {{9.09, 0.89}, {3.09, 0.42}, {4.68, 0.7}, {2.85, 0.33}, {3.83, 0.52}},
     "ADA_REG", {1.58, 0.12}, {1.66, 0.2}},
    {"splice",
     {{14.71, 0.75}, {10.79, 0.67}, {11.43, 0.72}, {11.67, 0.68}, {10.92, 0.72}},
     "ADA_REG", {9.50, 0.65}, {10.88, 0.66}},
    {"thyroid",
     {{4.53, 2.34}, {4.55, 2.35}, {4.48, 2.33}, {4.49, 2.21}, {4.59, 2.34}},
     "KFD", {4.20, 2.07}, {4.80, 2.19}},
    {"titanic",
     {{23.53, 1.82}, {22.96, 1.21}, {22.82, 1.81}, {21.28, 0.67}, {20.20, 7.17}},
     "SVM-RBF", {22.42, 1.02}, {22.42, 1.02}},
    {"twonorm",
     {{2.39, 0.13}, {2.36, 0.13}, {2.42, 0.14}, {2.39, 0.13}, {2.56, 0.30}},
     "KFD", {2.61, 0.15}, {2.96, 0.23}},
    {"waveform",
     {{9.53, 0.45}, {9.63, 0.49}, {9.53, 0.44}, {9.77, 0.35}, {9.52, 0.44}},
     "KFD", {9.86, 0.44}, {9.88, 0.44}},
};
/* clang-format on */

ida_error ida_published_by(const ida_published *set, int method)
{
    return method == IDA_SVM ? set->svm : set->by[method];
}

ida_best ida_best_of(const ida_published *set)
{
    ida_best best = {set->best_of_7, set->of_7};
    if (set->svm.mean < best.error.mean)
        best = (ida_best){"SVM", set->svm};
    for (int i = 0; i < IDA_METHODS; i++)
        if (set->by[i].mean < best.error.mean)
            best = (ida_best){ida_method_title[i], set->by[i]};
    return best;
}
