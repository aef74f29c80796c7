/* The progress bar, the log lines, and stopping by Ctrl-C or SIGTERM.
 *
 * A signal only sets a flag; the library asks for it through the progress callback, gives
 * SPECREG_E_CANCELLED and everything is taken down in order.  One LAPACK call may run long without
 * asking, so the signal also sets an alarm that leaves after two seconds, and a second signal
 * leaves at once.  Nothing is on disk at such a time, except while a file is being written: between
 * cli_write_begin() and cli_write_end() a signal waits. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* --------------------------------------------------------------------- signals */

enum { PATIENCE = 2 }; /* seconds between the signal and leaving anyway */

static volatile sig_atomic_t stop_signal; /* 0: none                */
static volatile sig_atomic_t writing;     /* a file is being written */
static volatile sig_atomic_t bar_shown;

static void say(const char *text)
{
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void leave(int signal_number)
{
    if (bar_shown)
        say("\r\033[K");
    say("specreg: stopped\n");
    _exit(128 + signal_number);
}

static void on_stop(int signal_number)
{
    if (stop_signal && !writing)
        leave(signal_number);
    stop_signal = signal_number;
    if (!writing)
        alarm(PATIENCE);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    if (stop_signal && !writing)
        leave(stop_signal);
}

static void catch_signals(void)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    struct sigaction late = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigemptyset(&stop.sa_mask);
    sigemptyset(&late.sa_mask);
    for (int i = 0; i < 4; i++) {
        struct sigaction before; /* nohup has hang-ups ignored: they stay so */
        if (sigaction(stopping[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stopping[i], &stop, NULL);
    }
    sigaction(SIGALRM, &late, NULL);
}

int cli_stop_code(void)
{
    return stop_signal ? 128 + stop_signal : 0;
}

int cli_stopped(void)
{
    alarm(0);
    const int code = stop_signal ? 128 + stop_signal : 128 + SIGINT;
    return cli_fail(code, "stopped");
}

/* A regular file is written beside its place and renamed: that must not be cut short, and it ends
 * by itself.  A pipe or a device may block for ever and leaves nothing behind: no protection. */
int cli_write_begin(const char *path)
{
    cli_progress_clear();
    fflush(stdout); /* the library may write to the same descriptor */
    writing = !cli_in_place(path);
    if (writing)
        alarm(0);
    if (stop_signal) {
        writing = 0;
        return cli_stopped();
    }
    return CLI_OK;
}

void cli_write_end(void)
{
    writing = 0;
}

/* --------------------------------------------------------------------- the bar */

static struct {
    bool enabled;
    double begun, drawn; /* clock: first call, last drawing */
    int64_t step, steps; /* where the work was last seen    */
    char label[64];      /* before the stage; "": none */
} bar;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void cli_progress_clear(void)
{
    if (!bar_shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    bar_shown = 0;
}

static char *time_text(double seconds)
{
    const long s = (long)(seconds + 0.5);
    if (s >= 3600)
        return cli_format("%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return cli_format("%ld:%02ld", s / 60, s % 60);
}

/* "banana 3/10: search [#########...........]  45 %  0:12 left", cut to the terminal's width. */
static void draw(const specreg_progress *p)
{
    enum { LENGTH = 30 };
    char cells[LENGTH + 1];
    const double done = bar.steps > 0 ? (double)bar.step / (double)bar.steps : 0.0;
    const double fraction = done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
    const int filled = (int)(fraction * LENGTH);
    memset(cells, '.', LENGTH);
    memset(cells, '#', (size_t)filled);
    cells[LENGTH] = '\0';

    char *left =
        fraction > 0.0 ? time_text(p->seconds * (1.0 - fraction) / fraction) : cli_format("-:--");
    char *line = cli_format("%s%s%-8s [%s] %3d %%  %s left", bar.label, *bar.label ? ": " : "",
                            p->stage ? p->stage : "", cells, (int)(100.0 * fraction), left);
    bar_shown = 1;
    fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    fflush(stderr);
    free(line);
    free(left);
}

/* Nothing is drawn for work that is over in a blink, nor more often than an eye can follow.  A step
 * of -1 only asks whether to stop: the bar stays where it is. */
static int on_progress(const specreg_progress *p, void *payload)
{
    (void)payload;
    if (stop_signal)
        return 1;
    if (!bar.enabled)
        return 0;
    bar.step = p->step;
    bar.steps = p->steps;
    const double t = now();
    if (bar.begun == 0.0)
        bar.begun = t;
    if (t - bar.begun > 0.4 && t - bar.drawn >= 0.1) {
        bar.drawn = t;
        draw(p);
    }
    return 0;
}

void cli_progress_label(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(bar.label, sizeof bar.label, format, args);
    va_end(args);
}

void cli_progress_no_label(void)
{
    bar.label[0] = '\0';
}

static void on_log(const char *line, void *payload)
{
    const cli *c = payload;
    const bool important = strncmp(line, "note: ", 6) == 0;
    if (c->value[CLI_VERBOSE] || (important && !c->value[CLI_QUIET]))
        cli_fail(CLI_OK, "note: %s", important ? line + 6 : line);
}

void cli_progress_start(cli *c)
{
    bar.enabled = !c->value[CLI_QUIET] && !c->value[CLI_NO_PROGRESS] && isatty(STDERR_FILENO);
    catch_signals();
    specreg_set_progress(c->ctx, on_progress, c);
    specreg_set_log(c->ctx, on_log, c);
}
