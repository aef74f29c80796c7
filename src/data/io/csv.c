/* CSV as a format; csv_guess.c, csv_scan.c and csv_read.c read it, csv_write.c writes it. */
#include <string.h>

#include "data/io/csv_parts.h"

/* Any text may be CSV: it is asked last. */
static bool csv_sniff(const char *head, size_t length)
{
    return memchr(head, '\0', length) == NULL;
}

const sri_format sri_format_csv = {
    .name = "csv",
    .extensions = "csv tsv tab",
    .sniff = csv_sniff,
    .read = sri_csv_read,
    .open = sri_csv_open,
    .write = sri_csv_write,
    .append = sri_csv_append,
};
