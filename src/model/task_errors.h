/* Errors of tasks, each by itself. */
#ifndef SRI_MODEL_TASK_ERRORS_H
#define SRI_MODEL_TASK_ERRORS_H

#include "core/json.h"
#include "select/task.h"

/* Adds `per_task` to a record's errors: for each task of task->reader.tasks that has rows its
 * name, n and errors; rows of tasks that training did not have (number -1) come last, as one
 * without a name. F and Y are n x T, `number` is the task of each row. */
specreg_status sri_task_errors(specreg_context *ctx, const sri_task *task, const double *F,
                               const double *Y, const int32_t *classes, const int32_t *number,
                               int64_t n, json_t **errors);

#endif
