/* Topics as lines of text:
 *
 *     # specreg topics 1
 *     # plsa topics=2,sweeps=50,held-out=0,temper=0.9
 *     # seed 0
 *     # documents 1200
 *     # empty 3
 *     # counts 98765
 *     # beta 1
 *     # kept 50
 *     # perplexity 1635.1 1584.3 ...         a number for each sweep
 *     # held 1671.4 1629.7 ...               likewise, where counts were held out
 *     # share 0.6 0.4                        a number for each topic
 *     # words 2000 vocabulary                or named, or numbered
 *     word TAB probability in each topic     a line for each word
 *     # specreg vocabulary 1                 and what a vocabulary file has, for `vocabulary`
 *
 * Numbers are the shortest that read back the same, with a tab before each from the first line of
 * words on; names of columns are JSON texts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/quote.h"
#include "data/io/stream.h"
#include "data/text/lines.h"
#include "data/text/topics.h"

static const char magic[] = "# specreg topics 1";
static const char *const kinds[] = {"vocabulary", "named", "numbered"};
enum { VOCABULARY, NAMED, NUMBERED };

/* A line of numbers after `word`, with `before` each. */
static specreg_status print_numbers(specreg_context *ctx, sri_buffer *out, const char *word,
                                    char before, const double *v, int64_t count)
{
    char number[40];
    SRI_CALL(sri_buffer_add(ctx, out, word, strlen(word)));
    for (int64_t i = 0; i < count; i++) {
        number[0] = before;
        sri_format_double(v[i], number + 1);
        SRI_CALL(sri_buffer_add(ctx, out, number, strlen(number)));
    }
    return sri_buffer_add(ctx, out, "\n", 1);
}

static specreg_status print_head(specreg_context *ctx, const sri_plsa *p, sri_buffer *out)
{
    SRI_CALL(sri_buffer_print(ctx, out, "%s\n# plsa ", magic));
    SRI_CALL(sri_plsa_how_print(ctx, &p->how, out));
    SRI_CALL(sri_buffer_print(ctx, out, "\n# seed %llu\n# documents %lld\n# empty %lld\n",
                              (unsigned long long)p->seed, (long long)p->documents,
                              (long long)p->empty));
    SRI_CALL(print_numbers(ctx, out, "# counts", ' ', &p->counts, 1));
    SRI_CALL(print_numbers(ctx, out, "# beta", ' ', &p->beta, 1));
    SRI_CALL(sri_buffer_print(ctx, out, "# kept %lld\n", (long long)p->kept));
    SRI_CALL(print_numbers(ctx, out, "# perplexity", ' ', p->perplexity, p->sweeps));
    if (p->held)
        SRI_CALL(print_numbers(ctx, out, "# held", ' ', p->held, p->sweeps));
    return print_numbers(ctx, out, "# share", ' ', p->prior, p->topics);
}

specreg_status sri_topics_print(specreg_context *ctx, const specreg_topics *t, sri_buffer *out)
{
    const sri_plsa *p = t->plsa;
    const int kind = t->words ? VOCABULARY : t->column ? NAMED : NUMBERED;
    char number[32];
    SRI_CALL(print_head(ctx, p, out));
    SRI_CALL(sri_buffer_print(ctx, out, "# words %lld %s\n", (long long)p->words, kinds[kind]));
    for (int64_t j = 0; j < p->words; j++) {
        const char *name = sri_topics_name(t, j, number);
        SRI_CALL(kind == NAMED ? sri_json_quote(ctx, name, out)
                               : sri_buffer_add(ctx, out, name, strlen(name)));
        SRI_CALL(print_numbers(ctx, out, "", '\t', p->word + j * p->topics, p->topics));
    }
    if (t->words)
        SRI_CALL(sri_vocabulary_print(ctx, t->words, out));
    return SPECREG_OK;
}

specreg_status specreg_topics_save(specreg_context *ctx, const specreg_topics *t, const char *path)
{
    SRI_ARGS(ctx, t, path);
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    SRI_TRY(sri_topics_print(ctx, t, &text));
    SRI_TRY(specreg_text_write(ctx, text.data, path));
done:
    sri_buffer_free(&text);
    return st;
}

typedef struct parser {
    sri_lines in;
    sri_plsa *p;
    int kind;
    int64_t claimed; /* words, by the head                    */
    char **column;   /* as many as p->words                   */
    int64_t word_capacity, column_capacity;
} parser;

static const char unlike[] = "is not as a file of topics has it here";

/* Numbers from 0 to `high` in text[0..length), `between` each two: into `out`, which takes up to
 * `most`; how many there are, or -1. */
static int64_t take_numbers(const char *text, size_t length, char between, double high, double *out,
                            int64_t most)
{
    int64_t count = 0;
    for (const char *end = text + length; text <= end; count++) {
        const char *next = memchr(text, between, (size_t)(end - text));
        const char *last = next ? next : end;
        if (count == most || !sri_parse_double(text, (size_t)(last - text), &out[count]) ||
            !(out[count] >= 0 && out[count] <= high))
            return -1;
        text = last + 1;
    }
    return count;
}

/* The next line: `word` and numbers of 0 or more; as many as *count, where that is not 0. */
static specreg_status read_list(parser *p, const char *word, double high, int64_t *count,
                                double **out)
{
    size_t length = 0;
    const char *text = sri_lines_head(&p->in, word, &length);
    int64_t most = 1, found;
    if (!text)
        return sri_lines_broken(&p->in, unlike);
    for (size_t i = 0; i < length; i++)
        most += text[i] == ' ';
    SRI_NEW(p->in.ctx, *out, most, 1);
    found = take_numbers(text, length, ' ', high, *out, most);
    if (found < 1 || (*count && found != *count))
        SRI_CALL(sri_lines_broken(&p->in, unlike));
    *count = found;
    return SPECREG_OK;
}

static specreg_status read_how(parser *p)
{
    specreg_status st = SPECREG_OK;
    size_t length = 0;
    char *spec = NULL;
    const char *text = sri_lines_head(&p->in, "# plsa", &length);
    if (!text)
        return sri_lines_broken(&p->in, unlike);
    spec = sri_strndup(p->in.ctx, text, length);
    if (!spec)
        return SPECREG_E_NOMEM;
    st = sri_plsa_how_parse(p->in.ctx, spec, &p->p->how);
    if (st == SPECREG_E_ARG)
        st = sri_fail_at(p->in.ctx, SPECREG_E_FORMAT, "%s:%lld", p->in.name, (long long)p->in.line);
    sri_free(spec);
    return st;
}

static specreg_status read_number(parser *p, const char *word, double high, double *out)
{
    size_t length = 0;
    const char *text = sri_lines_head(&p->in, word, &length);
    return text && take_numbers(text, length, ' ', high, out, 1) == 1
               ? SPECREG_OK
               : sri_lines_broken(&p->in, unlike);
}

static specreg_status read_words_line(parser *p)
{
    size_t length = 0;
    double words;
    const char *text = sri_lines_head(&p->in, "# words", &length);
    if (text && sri_take_whole(&text, &length, 1, &words) && words < INT32_MAX)
        for (p->kind = 0; p->kind <= NUMBERED; p->kind++)
            if (length == strlen(kinds[p->kind]) && memcmp(text, kinds[p->kind], length) == 0) {
                p->claimed = (int64_t)words;
                return SPECREG_OK;
            }
    return sri_lines_broken(&p->in, "'# words', their number, and vocabulary, named or numbered "
                                    "should stand here");
}

static specreg_status read_head(parser *p)
{
    sri_plsa *t = p->p;
    int64_t seed;
    if (!sri_lines_next(&p->in) || p->in.length != sizeof magic - 1 ||
        memcmp(p->in.text, magic, sizeof magic - 1) != 0)
        return sri_fail(p->in.ctx, SPECREG_E_FORMAT, "%s: is not a file of topics of version 1",
                        p->in.name);
    SRI_CALL(read_how(p));
    SRI_CALL(sri_lines_whole(&p->in, "# seed", 0, unlike, &seed));
    SRI_CALL(sri_lines_whole(&p->in, "# documents", 1, unlike, &t->documents));
    SRI_CALL(sri_lines_whole(&p->in, "# empty", 0, unlike, &t->empty));
    SRI_CALL(read_number(p, "# counts", INFINITY, &t->counts));
    SRI_CALL(read_number(p, "# beta", 1, &t->beta));
    SRI_CALL(sri_lines_whole(&p->in, "# kept", 0, unlike, &t->kept));
    SRI_CALL(read_list(p, "# perplexity", INFINITY, &t->sweeps, &t->perplexity));
    if (t->how.held_out > 0)
        SRI_CALL(read_list(p, "# held", INFINITY, &t->sweeps, &t->held));
    SRI_CALL(read_list(p, "# share", 1, &t->topics, &t->prior));
    SRI_CALL(read_words_line(p));
    if (t->topics != t->how.topics || !(t->beta > 0) || t->kept > t->sweeps)
        SRI_CALL(sri_lines_broken(&p->in, "the head does not agree with itself"));
    t->seed = (uint64_t)seed;
    return SPECREG_OK;
}

/* The name, up to the first tab, of a line of words. */
static specreg_status read_column(parser *p, size_t length)
{
    const int64_t j = p->p->words;
    char number[32];
    if (p->kind == NUMBERED) {
        snprintf(number, sizeof number, "%lld", (long long)j + 1);
        if (length != strlen(number) || memcmp(p->in.text, number, length) != 0)
            return sri_lines_broken(&p->in, "the number of the next column should begin this line");
    } else if (p->kind == NAMED) {
        SRI_CALL(SRI_GROW(p->in.ctx, p->column, p->column_capacity, j + 1));
        SRI_CALL(sri_lines_name(&p->in, p->in.text, length, &p->column[j]));
    }
    return SPECREG_OK;
}

static specreg_status read_word(parser *p)
{
    sri_plsa *t = p->p;
    const char *tab = sri_lines_next(&p->in) ? memchr(p->in.text, '\t', p->in.length) : NULL;
    if (!tab || tab == p->in.text)
        return sri_lines_broken(&p->in, "a word and its probabilities should stand here");
    const size_t name = (size_t)(tab - p->in.text);
    SRI_CALL(SRI_GROW(p->in.ctx, t->word, p->word_capacity, (t->words + 1) * t->topics));
    if (take_numbers(tab + 1, p->in.length - name - 1, '\t', 1, t->word + t->words * t->topics,
                     t->topics) != t->topics)
        SRI_CALL(sri_lines_broken(&p->in, "a number from 0 to 1 for each topic should follow the "
                                          "word"));
    SRI_CALL(read_column(p, name));
    t->words++;
    return SPECREG_OK;
}

/* Probabilities sum to 1, but for a topic that nothing was left for. */
static specreg_status check_sums(const parser *p)
{
    const sri_plsa *t = p->p;
    double shares = 0;
    for (int64_t z = 0; z < t->topics; z++) {
        double sum = 0;
        for (int64_t j = 0; j < t->words; j++)
            sum += t->word[j * t->topics + z];
        shares += t->prior[z];
        SRI_CHECK(p->in.ctx, fabs(sum - 1) < 1e-6 || (sum == 0 && t->prior[z] == 0),
                  SPECREG_E_FORMAT, "%s: the probabilities of topic %lld sum to %g", p->in.name,
                  (long long)z + 1, sum);
    }
    SRI_CHECK(p->in.ctx, fabs(shares - 1) < 1e-6, SPECREG_E_FORMAT,
              "%s: the shares of the topics sum to %g", p->in.name, shares);
    return SPECREG_OK;
}

/* The rest of the text; its words must be those of the lines of `text` before it. */
static specreg_status read_vocabulary(const parser *p, const char *text, specreg_vocabulary **out)
{
    sri_lines l = {.ctx = p->in.ctx, .name = p->in.name, .at = text, .end = p->in.at};
    const specreg_vocabulary *v;
    SRI_CALL(
        sri_vocabulary_parse(p->in.ctx, p->in.name, p->in.at, (size_t)(p->in.end - p->in.at), out));
    sri_topics_raw(*out);
    v = *out;
    SRI_CHECK(p->in.ctx, v->words.count == p->p->words, SPECREG_E_FORMAT,
              "%s: topics have %lld words, the vocabulary has %lld", p->in.name,
              (long long)p->p->words, (long long)v->words.count);
    for (int64_t j = 0; j < v->words.count && sri_lines_next(&l); j++) {
        const size_t length = strlen(v->words.text[j]);
        SRI_CHECK(p->in.ctx,
                  l.length > length && memcmp(l.text, v->words.text[j], length) == 0 &&
                      l.text[length] == '\t',
                  SPECREG_E_FORMAT,
                  "%s: word %lld of the vocabulary, '%s', is another in the "
                  "topics",
                  p->in.name, (long long)j + 1, v->words.text[j]);
    }
    return SPECREG_OK;
}

static specreg_status read_all(parser *p, specreg_vocabulary **words)
{
    SRI_CALL(read_head(p));
    const char *const first = p->in.at;
    while (p->p->words < p->claimed)
        SRI_CALL(read_word(p));
    SRI_CALL(check_sums(p));
    if (p->kind == VOCABULARY)
        SRI_CALL(read_vocabulary(p, first, words));
    else if (sri_lines_next(&p->in))
        SRI_CALL(sri_lines_broken(&p->in, "one line too many"));
    return SPECREG_OK;
}

specreg_status sri_topics_parse(specreg_context *ctx, const char *name, const char *text,
                                size_t length, specreg_topics **out)
{
    specreg_status st = SPECREG_OK;
    parser p = {.in = {.ctx = ctx, .name = name, .at = text, .end = text + length}};
    specreg_vocabulary *words = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, p.p, 1, 1);
    SRI_TRY(read_all(&p, &words));
    return sri_topics_new(ctx, p.p, words, p.column, out);
done:
    sri_free_list(p.column, p.p ? p.p->words : 0);
    specreg_vocabulary_free(words);
    sri_plsa_free(p.p);
    return st;
}

specreg_status specreg_topics_load(specreg_context *ctx, const char *path, specreg_topics **out)
{
    SRI_MAKES(ctx, out, path);
    static const int64_t MOST = INT64_C(1) << 32;
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    char *text = NULL;
    size_t size;
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_text(ctx, stream, MOST, &text, &size));
    SRI_TRY(sri_topics_parse(ctx, sri_stream_name(stream), text, size, out));
done:
    sri_free(text);
    sri_stream_close(stream);
    return st;
}
