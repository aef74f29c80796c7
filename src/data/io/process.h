/* A program that this one starts and talks to through a socket. */
#ifndef SRI_DATA_IO_PROCESS_H
#define SRI_DATA_IO_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/context.h"

typedef struct sri_process {
    int socket; /* the program's standard input and output; -1: none */
    pid_t id;
    const char *name; /* of what is read or written, for messages */
} sri_process;

/* Starts argv[0], a path, with no other open file.  sri_process_end must follow in every case. */
specreg_status sri_process_start(specreg_context *ctx, char *const argv[], const char *name,
                                 sri_process *out);
/* Sends bytes.  A program that no longer listens is no error here: its answer says why. */
specreg_status sri_process_send(specreg_context *ctx, sri_process *p, const void *data,
                                size_t size);
/* No more will be sent. */
void sri_process_sent(sri_process *p);
/* Waits for exactly `size` bytes; a program that ends or keeps silent before is SPECREG_E_FORMAT:
 * it could not deal with the file. */
specreg_status sri_process_receive(specreg_context *ctx, sri_process *p, void *data, size_t size);
/* Ends the program if it still runs. */
void sri_process_end(sri_process *p);

/* The path of a program that belongs to this library, in the folder where the library lies, in
 * specreg's folder for such programs, or where the environment variable says; false: not found. */
bool sri_find_program(const char *program, const char *variable, char *path, size_t size);

#endif
