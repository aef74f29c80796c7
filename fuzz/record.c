/* Records of other programs on report pages: arbitrary bytes as the record, as one that joins a
 * model, and as the plan of a model.  What cannot be shown is refused with a text or said on the
 * page; no text of a record becomes markup: the page has as many brackets as that of a record
 * without content. */
#include "use.h"

static int64_t brackets(const char *html)
{
    int64_t count = 0;
    for (; (html = strchr(html, '<')); html++)
        count++;
    return count;
}

/* How many brackets the page of this record has; -1: it is refused. */
static int64_t page_of(specreg_context *ctx, const char *record)
{
    specreg_report_part part = {.struct_size = sizeof part, .title = "a.json", .record = record};
    char *html = NULL;
    if (specreg_report_page(ctx, &part, 1, NULL, &html) != SPECREG_OK) {
        if (!*specreg_last_error(ctx) || html)
            abort();
        return -1;
    }
    const int64_t count = brackets(html);
    specreg_string_free(html);
    return count;
}

static void with_model(specreg_context *ctx, const specreg_model *model, const char *record,
                       const char *plan)
{
    specreg_report_part parts[2] =
        {{.struct_size = sizeof *parts, .title = "m.srm", .model = model, .plan = plan},
         {.struct_size = sizeof *parts, .title = "a.json", .record = record}};
    char *json = NULL;
    if (specreg_report_data(ctx, parts, record ? 2 : 1, NULL, &json) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    specreg_string_free(json);
}

static specreg_model *small_model(specreg_context *ctx)
{
    specreg_options *o = fuzz_options(ctx);
    specreg_table *t = fuzz_table(ctx, 1);
    specreg_model *m;
    fuzz_set(ctx, o, "kernel", "rbf:sigma={1,2}");
    if (specreg_fit(ctx, t, o, &m) != SPECREG_OK)
        abort();
    specreg_table_free(t);
    specreg_options_free(o);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static specreg_model *model;
    static int64_t of_nothing;
    specreg_context *ctx = fuzz_context();
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (!model) {
        model = small_model(ctx);
        of_nothing = page_of(ctx, "{\"command\": \"fit\"}");
        if (of_nothing < 1)
            abort();
    }
    const int64_t count = page_of(ctx, text);
    if (count >= 0 && count != of_nothing)
        abort();
    if (strstr(text, "\"importance\"") || strstr(text, "\"partial\""))
        with_model(ctx, model, text, NULL);
    if (strstr(text, "\"plan\""))
        with_model(ctx, model, NULL, text);
    free(text);
    specreg_context_free(ctx);
    return 0;
}
