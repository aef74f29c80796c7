#define LANES 2
#define VEC_NAME "plain"
#define VEC_TABLE sri_vec_plain
#include "backend/cpu/vec_body.h"
