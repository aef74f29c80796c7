/* Names and messages come from files and may hold anything; characters that control a terminal are
 * shown as '?'. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

/* Between two bytes of UTF-8. */
typedef struct filter {
    int more;   /* bytes that must still come to end a character */
    bool after; /* after 0xc2, which waits: the next byte may make it a control character */
} filter;

static bool is_control(unsigned char b)
{
    return (b < ' ' && b != '\n' && b != '\t') || b == 0x7f;
}

/* Puts what is shown of a byte, at most two; returns how many. */
static size_t show_byte(filter *f, unsigned char b, char *out)
{
    const bool continues = (b & 0xc0) == 0x80;
    if (f->after) {
        f->after = false;
        if (continues && b < 0xa0)
            return out[0] = '?', 1;
        out[0] = (char)0xc2;
        return 1 + (continues ? (size_t)(out[1] = (char)b, 1) : show_byte(f, b, out + 1));
    }
    if (continues && f->more > 0) {
        f->more--;
    } else {
        f->more = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc3 ? 1 : 0;
        f->after = b == 0xc2;
        if (is_control(b) || (b >= 0x80 && b < 0xa0))
            b = '?';
    }
    *out = (char)b;
    return !f->after;
}

void cli_put_plain(const char *text, FILE *to)
{
    filter f = {0};
    char out[2];
    for (const char *s = text; *s; s++)
        fwrite(out, 1, show_byte(&f, *s == '\n' || *s == '\t' ? 1 : (unsigned char)*s, out), to);
}

void cli_make_plain(char *text)
{
    filter f = {0};
    size_t n = 0;
    for (const char *s = text; *s; s++) { /* what is shown is never longer than what was read */
        char out[2];
        const size_t shown = show_byte(&f, *s == '\n' || *s == '\t' ? 1 : (unsigned char)*s, out);
        memcpy(text + n, out, shown);
        n += shown;
    }
    text[n] = '\0';
}

static ssize_t write_plain(void *payload, const char *data, size_t size)
{
    filter *f = payload;
    char out[512];
    for (size_t i = 0; i < size;) {
        size_t n = 0;
        for (; i < size && n + 2 <= sizeof out; i++)
            n += show_byte(f, (unsigned char)data[i], out + n);
        for (size_t done = 0; done < n;) {
            const ssize_t now = write(STDOUT_FILENO, out + done, n - done);
            if (now < 0 && errno != EINTR)
                return 0; /* an error, as fopencookie() has it */
            done += now > 0 ? (size_t)now : 0;
        }
    }
    return (ssize_t)size;
}

void cli_put_raw(const char *text)
{
    fflush(stdout);
    if (!isatty(STDOUT_FILENO)) {
        fputs(text, stdout);
        return;
    }
    for (size_t left = strlen(text); left;) {
        const ssize_t now = write(STDOUT_FILENO, text, left);
        if (now < 0 && errno != EINTR)
            return;
        text += now > 0 ? now : 0;
        left -= now > 0 ? (size_t)now : 0;
    }
}

void cli_protect_terminal(void)
{
#ifdef __GLIBC__
    static filter state;
    FILE *plain = isatty(STDOUT_FILENO)
                      ? fopencookie(&state, "w", (cookie_io_functions_t){.write = write_plain})
                      : NULL;
    if (plain) {
        setvbuf(plain, NULL, _IOLBF, 0);
        stdout = plain;
    }
#endif
}
