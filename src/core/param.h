/* A numeric parameter of a kernel or a filter: its name, default and range. */
#ifndef SRI_CORE_PARAM_H
#define SRI_CORE_PARAM_H

#include "core/context.h"

typedef struct sri_param {
    const char *name;
    double value; /* default; NaN: automatic, from the data */
    double least; /* smallest value allowed ...             */
    bool open;    /* ... and whether that one is excluded   */
    double most;  /* largest value allowed; 0: there is none */
    bool whole;   /* whole numbers only                     */
} sri_param;

/* Fails with "`what`: `name` must be ..." when the value is out of range. */
specreg_status sri_param_check(specreg_context *ctx, const char *what, const sri_param *param,
                               double value);
/* Parameter i of a user's kernel or filter: any number will do. */
sri_param sri_param_user(const sri_registration *user, int i);

#endif
