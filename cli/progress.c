/* The progress bar, the log lines, and stopping by Ctrl-C or SIGTERM.
 *
 * A signal only sets a flag; the library asks for it through the progress callback, gives
 * SPECREG_E_CANCELLED and everything is taken down in order.  One LAPACK call may run long without
 * asking, so the signal also sets an alarm that leaves after a second, and a second signal
 * leaves at once.  Nothing is on disk at such a time, except while a file is being written: between
 * cli_write_begin() and cli_write_end() a signal waits. */
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* --------------------------------------------------------------------- signals */

enum { PATIENCE = 1 }; /* seconds between the signal and leaving anyway */

static volatile sig_atomic_t stop_signal; /* 0: none                */
static volatile sig_atomic_t writing;     /* a file is being written */
static volatile sig_atomic_t bar_shown;
static const char *volatile stop_text = "stopped"; /* what was done so far, and how to go on */
static const char *advice;                         /* how to go on; NULL: there is no way    */

static void say(const char *text)
{
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void leave(int signal_number)
{
    if (bar_shown)
        say("\r\033[K");
    say("specreg: ");
    say(stop_text);
    say("\n");
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
    return cli_fail(code, "%s", stop_text);
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

enum { RACE, SEARCH, TRAIN, STAGES };
static const char *const stage_name[STAGES] = {"race", "search", "train"};

static struct {
    bool enabled;
    double begun, drawn;  /* clock: first call, last drawing                        */
    double expected;      /* seconds by the plan; 0: there is none                  */
    bool by_time;         /* the plan names no stages                               */
    double share[STAGES]; /* of the whole work, by the plan                         */
    double shown, left;   /* the share of the work and the seconds as shown; left < 0: not yet */
    bool raced;           /* a race on some rows came before */
    double done;          /* the share of the work that was done at the last drawing        */
    char label[64];       /* before the stage; "": none */
} bar = {.left = -1};

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

static int stage_number(const char *stage)
{
    int k = 0;
    while (k < STAGES && strcmp(stage_name[k], stage) != 0)
        k++;
    return k;
}

/* The share of the whole work that is done after `steps` of a stage.  Without a plan each stage
 * stands for all of it; with a plan that names no stages, as for passes over the rows, time alone
 * tells. */
static double share_after(const specreg_progress *p, int64_t step)
{
    const double part = p->steps > 0 ? fmin((double)step / (double)p->steps, 1) : 0;
    const int stage = stage_number(p->stage);
    double before = 0;
    if (!(bar.expected > 0))
        return part;
    if (bar.by_time)
        return 0;
    for (int k = 0; k < stage && k < STAGES; k++)
        before += bar.share[k];
    return stage < STAGES ? before + part * bar.share[stage] : fmin(before, bar.shown);
}

/* Seconds left: by the plan at first, by what the work has taken as it goes on; < 0: not known.
 * Work that takes longer than planned goes on for half as long again, at least. */
static double estimate_left(double done, double elapsed)
{
    enum { TRUSTED = 10 }; /* per cent of the work that say as much as the plan */
    const double by_rate = done > 0 ? elapsed * (1 - done) / done : -1;
    if (!(bar.expected > 0))
        return by_rate;
    const double by_plan = fmax(bar.expected - elapsed, (1 - done) * elapsed / 2);
    const double trust = done / (done + TRUSTED / 100.0);
    return done > 0 ? trust * by_rate + (1 - trust) * by_plan : by_plan;
}

/* The seconds shown run down as a clock does, and move to a new estimate within some seconds.  The
 * bar goes on with them inside a step, up to its end, and never back. */
static void follow(const specreg_progress *p, double elapsed, double passed)
{
    const double seconds_to_settle = 4, done = share_after(p, p->step);
    const double left = estimate_left(done, elapsed);
    if (left >= 0 && bar.left >= 0) {
        bar.left = fmax(bar.left - passed, 0);
        bar.left += (left - bar.left) * fmin(1, passed / seconds_to_settle);
    } else {
        bar.left = left;
    }
    const double by_clock = bar.left >= 0 ? elapsed / (elapsed + bar.left) : 0;
    const double end = bar.by_time ? 0.99 : fmin(share_after(p, p->step + 1), 0.99);
    bar.shown = fmax(bar.shown, fmax(done, fmin(by_clock, end)));
}

/* "banana 3/10: search [#########...........]  45 %  0:12 left"; a narrow terminal has a shorter
 * bar, then no label. */
static void draw(const specreg_progress *p, double elapsed)
{
    enum { LENGTH = 30, SHORTEST = 5 };
    char cells[LENGTH + 1];
    char *left = time_text(bar.left >= 0 ? bar.left : elapsed);
    char *end =
        cli_format("%3d %%  %s%s", (int)(100.0 * bar.shown), left, bar.left >= 0 ? " left" : "");
    char *begin =
        cli_format("%s%s%-8s", bar.label, *bar.label ? ": " : "", *p->stage ? p->stage : "plan");
    const int width = terminal_width() - 1;
    int room = width - (int)strlen(begin) - (int)strlen(end) - 4;
    const bool whole = room >= SHORTEST;
    room = whole ? room : width - (int)strlen(end) - 3;
    const int length = room < LENGTH ? room > 0 ? room : 0 : LENGTH;
    memset(cells, '.', (size_t)length);
    memset(cells, '#', (size_t)(bar.shown * length));
    cells[length] = '\0';
    bar_shown = 1;
    fprintf(stderr, "\r%s%s[%s] %s\033[K", whole ? begin : "", whole ? " " : "", cells, end);
    fflush(stderr);
    free(begin);
    free(end);
    free(left);
}

/* How to go on after a stage; two stages of a fit with many centres write no checkpoint. */
static const char *advice_after(const char *stage)
{
    static const char *const without[] = {"steps over the rows", "first pass over the rows"};
    return strcmp(stage, without[0]) == 0 || strcmp(stage, without[1]) == 0 ? "" : advice;
}

/* What a stop would say: signals come at any time, so that the text is always whole.  It never
 * gives a lower percentage than the bar has shown. */
static void note_done(const specreg_progress *p)
{
    static char text[2][240];
    static int last;
    const int stage = stage_number(p->stage);
    const int percent = (int)(100 * fmax(bar.shown, share_after(p, p->step)));
    last = !last;
    bar.raced = bar.raced || stage == RACE;
    if (stage == RACE || stage == SEARCH)
        snprintf(text[last], sizeof *text, "stopped at %d %%: %lld of %lld kernels compared%s%s",
                 percent, (long long)p->step, (long long)p->steps,
                 stage == RACE ? " on some of the rows"
                 : bar.raced   ? " on all rows, after a race on some"
                               : "",
                 advice);
    else if (stage == TRAIN || !*p->stage)
        snprintf(text[last], sizeof *text, "stopped %s the search%s",
                 *p->stage ? "after" : "before", advice);
    else
        snprintf(text[last], sizeof *text, "stopped at %d %%, %s%s", percent, p->stage,
                 advice_after(p->stage));
    stop_text = text[last];
}

/* Without a plan, work that is at its beginning again is other work: it has a bar of its own. */
static void see_begin(const specreg_progress *p, double t)
{
    const double done = share_after(p, p->step);
    if (!(bar.expected > 0) && done < bar.done) {
        bar.begun = bar.drawn = t;
        bar.shown = 0;
        bar.left = -1;
    }
    bar.done = done;
}

/* Nothing is drawn for work that is over in a blink, nor more often than an eye can follow. */
static void draw_at_times(const specreg_progress *p)
{
    const double t = now();
    if (bar.begun == 0.0)
        bar.begun = bar.drawn = t;
    see_begin(p, t);
    if (t - bar.begun > 0.4 && t - bar.drawn >= 0.1) {
        follow(p, t - bar.begun, t - bar.drawn);
        bar.drawn = t;
        draw(p, t - bar.begun);
    }
}

static int on_progress(const specreg_progress *p, void *payload)
{
    (void)payload;
    if (stop_signal)
        return 1;
    if (bar.enabled)
        draw_at_times(p);
    if (advice)
        note_done(p);
    return 0;
}

static void begin_anew(void)
{
    bar.begun = bar.drawn = bar.shown = bar.expected = bar.done = 0;
    bar.left = -1;
    bar.by_time = bar.raced = false;
}

void cli_progress_label(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(bar.label, sizeof bar.label, format, args);
    va_end(args);
    begin_anew();
}

void cli_progress_no_label(void)
{
    bar.label[0] = '\0';
    begin_anew();
}

bool cli_progress_wanted(void)
{
    return bar.enabled;
}

void cli_progress_plan(const json_t *plan)
{
    double seconds[STAGES] = {0}, sum = 0;
    size_t i;
    json_t *stage;
    json_array_foreach (cli_get(plan, "stages"), i, stage) {
        const char *name = cli_get_text(stage, "name");
        const int k = name && strcmp(name, "train the winner") == 0 ? TRAIN
                      : name                                        ? stage_number(name)
                                                                    : STAGES;
        if (k < STAGES && cli_get_number(stage, "seconds", &seconds[k]))
            sum += seconds[k];
    }
    if (!cli_get_number(plan, "seconds", &bar.expected))
        return;
    bar.by_time = !(sum > 0);
    for (int k = 0; k < STAGES && sum > 0; k++)
        bar.share[k] = seconds[k] / sum;
}

void cli_progress_can_resume(const char *checkpoint)
{
    static char text[120];
    if (*checkpoint && strlen(checkpoint) < 40)
        snprintf(text, sizeof text, "; the same command goes on from there (--checkpoint %s)",
                 checkpoint);
    else if (*checkpoint)
        snprintf(text, sizeof text, "; the same command goes on from there");
    else
        snprintf(text, sizeof text,
                 "; with --checkpoint FILE the same command would go on from there");
    cli_make_plain(text);
    advice = text;
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
