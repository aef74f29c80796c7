#define LANES 2
#define INSTRUCTIONS plain
#include "backend/cpu/slab_vec_body.h"
