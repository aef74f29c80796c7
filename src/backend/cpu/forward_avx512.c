#define LANES 8
#define FORWARD_TABLE sri_forward_avx512
#include "backend/cpu/forward_body.h"
