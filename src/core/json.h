/* Building JSON so that running out of memory is not missed: an object or array that could not take
 * a member becomes NULL, and with it whatever it is put into.  Who uses the whole checks for NULL.
 */
#ifndef SRI_CORE_JSON_H
#define SRI_CORE_JSON_H

#include <jansson.h>

/* Both take `value` over, also when they fail; NULL stays NULL. */
void sri_json_put(json_t **object, const char *key, json_t *value);
void sri_json_add(json_t **array, json_t *value);

/* A number, or null where it is not finite: JSON has no NaN. */
json_t *sri_json_number(double v);
/* A text; where it is not UTF-8, as a file's name may be, '?' stands for its bytes beyond ASCII. */
json_t *sri_json_string(const char *text);

#endif
