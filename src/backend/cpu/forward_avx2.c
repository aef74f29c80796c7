#define LANES 4
#define FORWARD_TABLE sri_forward_avx2
#include "backend/cpu/forward_body.h"
