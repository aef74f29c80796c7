/* What the library and the program specreg-hdf5 send each other: records, each a head, a name and
 * its content, in the byte order of the machine on which both run. */
#ifndef SRI_DATA_IO_HDF5_WIRE_H
#define SRI_DATA_IO_HDF5_WIRE_H

#include <stdint.h>

/* What a record holds. */
enum wire_role {
    WIRE_X = 'X',       /* the inputs                                              */
    WIRE_Y = 'y',       /* the targets                                             */
    WIRE_COLUMNS = 'c', /* the names of the columns                                */
    WIRE_IMAGE = 'I',   /* an HDF5 file of `rows` bytes                            */
    WIRE_PIECE = ';',   /* the inputs and targets before it are some rows; others may follow */
    WIRE_ERROR = 'E',   /* a message of `rows` bytes: nothing else follows         */
    WIRE_END = '.'      /* all was sent; an answer without it ended too early      */
};
enum wire_kind {
    WIRE_BYTES = 'b',   /* rows bytes                                              */
    WIRE_NUMBERS = 'd', /* rows x cols doubles, row by row                         */
    WIRE_TEXTS = 't'    /* rows times an int32_t length and as many bytes          */
};

typedef struct wire_head {
    char role, kind;
    int16_t dims;        /* 1 or 2                                             */
    int32_t name_length; /* of the name that follows the head                  */
    int32_t status;      /* of an error: a specreg_status                      */
    int32_t unused;
    int64_t rows, cols;
} wire_head;

/* A text, and the name of a record, is at most this long. */
enum { WIRE_LONGEST_TEXT = 1 << 20 };

#endif
