#include "record/container.h"

#include <endian.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/output.h"
#include "data/io/stream.h"

enum { LENGTH_BYTES = 8, DIGITS = 32, CHUNK = 4096 };
static const uint64_t max_header = 100000000; /* as other safetensors readers have it */
static const char zeros[] = "00000000000000000000000000000000";

static specreg_status no_memory(specreg_context *ctx)
{
    return sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
}

/* Where the digits of the checksum stand in a header, or NULL.  A quote inside a JSON text is
 * written \", so only the key itself can follow a brace or a comma like this. */
static char *checksum_digits(char *header, size_t length)
{
    static const char key[] = "\"checksum\":\"";
    const size_t key_length = sizeof key - 1;
    char *end = header + length;
    for (char *s = header; (s = memmem(s, (size_t)(end - s), key, key_length)); s++)
        if (s > header && (s[-1] == '{' || s[-1] == ',') &&
            (size_t)(end - s) >= key_length + DIGITS + 1)
            return s + key_length;
    return NULL;
}

static void hash_text(const XXH3_state_t *state, char *digits)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    for (int i = 0; i < DIGITS / 2; i++) {
        digits[2 * i] = "0123456789abcdef"[canonical.digest[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[canonical.digest[i] & 15];
    }
}

const char *sri_metadata_get(const sri_metadata *metadata, const char *name)
{
    return json_string_value(json_object_get(metadata->texts, name));
}

specreg_status sri_metadata_set(specreg_context *ctx, sri_metadata *metadata, const char *name,
                                const char *text)
{
    if (!metadata->texts)
        metadata->texts = json_object();
    if (text)
        return json_object_set_new(metadata->texts, name, json_string(text)) ? no_memory(ctx)
                                                                             : SPECREG_OK;
    json_object_del(metadata->texts, name);
    return SPECREG_OK;
}

void sri_metadata_free(sri_metadata *metadata)
{
    json_decref(metadata->texts);
    metadata->texts = NULL;
}

/* {"dtype":"F64","shape":[rows,cols],"data_offsets":[begin,end]}; *at moves to the end. */
static specreg_status add_tensor(specreg_context *ctx, json_t *header, const sri_tensor *t,
                                 int64_t *at)
{
    int64_t count, bytes, end;
    if (t->rows < 0 || t->cols < 0 || __builtin_mul_overflow(t->rows, t->cols, &count) ||
        __builtin_mul_overflow(count, (int64_t)sizeof(double), &bytes) ||
        __builtin_add_overflow(*at, bytes, &end))
        return sri_fail(ctx, SPECREG_E_SHAPE, "tensor '%s' is too large to write", t->name);
    if (json_object_get(header, t->name))
        return sri_fail(ctx, SPECREG_E_ARG, "tensor name '%s' is taken", t->name);
    json_t *entry =
        json_pack("{s:s, s:[I,I], s:[I,I]}", "dtype", "F64", "shape", (json_int_t)t->rows,
                  (json_int_t)t->cols, "data_offsets", (json_int_t)*at, (json_int_t)end);
    *at = end;
    return json_object_set_new(header, t->name, entry) ? no_memory(ctx) : SPECREG_OK;
}

static specreg_status add_metadata(specreg_context *ctx, json_t *header,
                                   const sri_metadata *metadata)
{
    const char *name;
    json_t *text, *texts = metadata ? metadata->texts : NULL, *copy = json_object();
    if (json_object_set_new(header, "__metadata__", copy))
        return no_memory(ctx);
    json_object_foreach (texts, name, text) /* json_copy() can lose some of them unnoticed */
        if (json_object_set(copy, name, text))
            return no_memory(ctx);
    if (json_object_set_new(copy, "format", json_string("specreg")) ||
        json_object_set_new(copy, "format_version", json_sprintf("%d", SRI_FORMAT_VERSION)) ||
        json_object_set_new(copy, "checksum", json_string(zeros)))
        return no_memory(ctx);
    return SPECREG_OK;
}

/* The header's text, with blanks at its end so that the tensors begin at a multiple of 8.  Into a
 * buffer of the known size: json_dumps() can lose bytes unnoticed when memory runs out. */
static specreg_status header_text(specreg_context *ctx, const sri_metadata *metadata,
                                  const sri_tensor *tensors, int count, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    const size_t flags = JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(17);
    int64_t at = 0;
    json_t *header = json_object();
    if (!header)
        return no_memory(ctx);
    SRI_TRY(add_metadata(ctx, header, metadata));
    for (int i = 0; i < count; i++)
        SRI_TRY(add_tensor(ctx, header, &tensors[i], &at));
    const size_t length = json_dumpb(header, NULL, 0, flags);
    SRI_REQUIRE(ctx, length > 0, SPECREG_E_NOMEM, "out of memory");
    SRI_REQUIRE(ctx, length <= max_header - LENGTH_BYTES, SPECREG_E_SHAPE,
                "the model's description is too long to write (%zu bytes)", length);
    out->length = (int64_t)(length + -length % LENGTH_BYTES);
    SRI_TRY(sri_grow(ctx, (void **)&out->data, &out->capacity, out->length + 1, 1));
    memset(out->data, ' ', (size_t)out->length);
    SRI_REQUIRE(ctx, json_dumpb(header, out->data, length, flags) == length, SPECREG_E_NOMEM,
                "out of memory");
done:
    json_decref(header);
    return st;
}

/* Where bytes go: to the output, or to memory, or to the hash where there is neither. */
typedef struct sink {
    sri_output *output;
    sri_buffer *memory;
    XXH3_state_t *hash;
} sink;

static specreg_status put(specreg_context *ctx, const sink *to, const void *data, size_t size)
{
    if (to->output)
        return sri_output_write(ctx, to->output, data, size);
    if (to->memory)
        return sri_buffer_add(ctx, to->memory, data, size);
    XXH3_128bits_update(to->hash, data, size);
    return SPECREG_OK;
}

static specreg_status put_tensor(specreg_context *ctx, const sink *to, const sri_tensor *t)
{
    uint64_t block[CHUNK];
    specreg_status st = SPECREG_OK;
    const int64_t count = t->rows * t->cols;
    for (int64_t i = 0; i < count && st == SPECREG_OK; i += CHUNK) {
        const size_t n = (size_t)(count - i < CHUNK ? count - i : CHUNK);
        memcpy(block, t->data + i, n * sizeof *block);
        for (size_t k = 0; k < n; k++)
            block[k] = htole64(block[k]);
        st = put(ctx, to, block, n * sizeof *block);
    }
    return st;
}

static specreg_status put_all(specreg_context *ctx, const sink *to, const sri_buffer *header,
                              const sri_tensor *tensors, int count)
{
    const uint64_t length = htole64((uint64_t)header->length);
    SRI_CALL(put(ctx, to, &length, LENGTH_BYTES));
    SRI_CALL(put(ctx, to, header->data, (size_t)header->length));
    for (int i = 0; i < count; i++)
        SRI_CALL(put_tensor(ctx, to, &tensors[i]));
    return SPECREG_OK;
}

/* The header with its checksum. */
static specreg_status make_header(specreg_context *ctx, const sri_metadata *metadata,
                                  const sri_tensor *tensors, int count, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    const sink to = {.hash = XXH3_createState()};
    if (!to.hash)
        SRI_TRY(no_memory(ctx));
    SRI_TRY(header_text(ctx, metadata, tensors, count, out));
    XXH3_128bits_reset(to.hash);
    SRI_TRY(put_all(ctx, &to, out, tensors, count));
    hash_text(to.hash, checksum_digits(out->data, (size_t)out->length));
done:
    XXH3_freeState(to.hash);
    return st;
}

specreg_status sri_container_print(specreg_context *ctx, const sri_metadata *metadata,
                                   const sri_tensor *tensors, int count, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer header = {0};
    SRI_TRY(make_header(ctx, metadata, tensors, count, &header));
    SRI_TRY(put_all(ctx, &(sink){.memory = out}, &header, tensors, count));
done:
    sri_buffer_free(&header);
    return st;
}

specreg_status sri_container_write(specreg_context *ctx, const char *path,
                                   const sri_metadata *metadata, const sri_tensor *tensors,
                                   int count)
{
    specreg_status st = SPECREG_OK;
    sri_buffer header = {0};
    sink to = {0};
    SRI_TRY(make_header(ctx, metadata, tensors, count, &header));
    SRI_TRY(sri_output_open(ctx, path, &to.output));
    SRI_TRY(sri_output_compress(ctx, to.output));
    SRI_TRY(put_all(ctx, &to, &header, tensors, count));
    st = sri_output_commit(ctx, to.output);
    to.output = NULL;
done:
    sri_output_abandon(to.output);
    sri_buffer_free(&header);
    return st;
}

void sri_container_free(sri_container *c)
{
    sri_metadata_free(&c->metadata);
    json_decref(c->header);
    sri_free(c->tensor);
    sri_free(c->bytes);
    sri_free(c->path);
    *c = (sri_container){0};
}

static uint64_t header_length(const char *bytes)
{
    uint64_t length;
    memcpy(&length, bytes, LENGTH_BYTES);
    return le64toh(length);
}

bool sri_container_looks(const char *head, size_t length)
{
    return length > LENGTH_BYTES && head[LENGTH_BYTES] == '{' && header_length(head) > 2 &&
           header_length(head) <= max_header;
}

static specreg_status not_a_model(specreg_context *ctx, const sri_container *c)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s is not a specreg model", c->path);
}

/* "PATH is damaged: ..." */
static __attribute__((format(printf, 3, 4))) specreg_status
damaged(specreg_context *ctx, const sri_container *c, const char *format, ...)
{
    char text[sizeof ctx->error];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s is damaged: %s", c->path, text);
}

/* The header, an object. */
static specreg_status parse_header(specreg_context *ctx, sri_container *c)
{
    if (c->size == 0)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s is empty", c->path);
    if (!sri_container_looks(c->bytes, c->size))
        return not_a_model(ctx, c);
    const uint64_t length = header_length(c->bytes);
    if (length > c->size - LENGTH_BYTES)
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "%s is truncated: its header needs %llu bytes, there are %zu", c->path,
                        (unsigned long long)length, c->size - LENGTH_BYTES);
    const char *text = c->bytes + LENGTH_BYTES;
    c->data = text + length;
    json_error_t error;
    json_t *header = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    c->header = header;
    if (!header && (!error.text[0] || json_error_code(&error) == json_error_out_of_memory))
        return no_memory(ctx); /* the only failure that jansson does not describe */
    if (!header && memmem(text, (size_t)length, "specreg", 7))
        return damaged(ctx, c, "its header cannot be read (%s)", error.text);
    return json_is_object(header) ? SPECREG_OK : not_a_model(ctx, c);
}

/* The version comes before all that a later version might have changed. */
static specreg_status read_metadata(specreg_context *ctx, sri_container *c)
{
    json_t *value, *metadata = json_object_get(c->header, "__metadata__");
    const char *name, *format = json_string_value(json_object_get(metadata, "format"));
    const char *version = json_string_value(json_object_get(metadata, "format_version"));
    double number;
    if (!format || strcmp(format, "specreg") != 0)
        return not_a_model(ctx, c);
    if (!version || !version[0] || strspn(version, "0123456789") != strlen(version) ||
        !sri_parse_double(version, strlen(version), &number) || number < 1)
        return damaged(ctx, c, "its format version is not a number");
    if (number > SRI_FORMAT_VERSION)
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "%s was written by a newer specreg (format %s; this one reads up to %d)",
                        c->path, version, SRI_FORMAT_VERSION);
    c->version = (int)number;
    json_object_foreach (metadata, name, value)
        if (!json_is_string(value))
            return damaged(ctx, c, "its metadata '%s' is not a text", name);
    c->metadata.texts = json_incref(metadata);
    return SPECREG_OK;
}

/* A pair of integers >= 0 under `key`. */
static bool get_pair(const json_t *tensor, const char *key, int64_t pair[2])
{
    const json_t *list = json_object_get(tensor, key);
    if (!json_is_array(list) || json_array_size(list) != 2)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const json_t *v = json_array_get(list, i);
        pair[i] = json_integer_value(v);
        if (!json_is_integer(v) || pair[i] < 0)
            return false;
    }
    return true;
}

static specreg_status get_extent(specreg_context *ctx, const sri_container *c, const char *name,
                                 const json_t *tensor, sri_extent *out)
{
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    int64_t shape[2], offset[2], count, bytes;
    if (!dtype || strcmp(dtype, "F64") != 0)
        return damaged(ctx, c, "tensor '%s' is not of type F64", name);
    if (!get_pair(tensor, "shape", shape) || !get_pair(tensor, "data_offsets", offset))
        return damaged(ctx, c, "the shape or place of tensor '%s' cannot be read", name);
    /* A tensor without content may still promise more rows or columns than the file has bytes. */
    if (shape[0] > (int64_t)c->size || shape[1] > (int64_t)c->size ||
        __builtin_mul_overflow(shape[0], shape[1], &count) ||
        __builtin_mul_overflow(count, (int64_t)sizeof(double), &bytes) || offset[0] % 8 != 0 ||
        offset[1] < offset[0] || offset[1] - offset[0] != bytes)
        return damaged(ctx, c, "tensor '%s' of shape %lld x %lld lies at bytes %lld to %lld", name,
                       (long long)shape[0], (long long)shape[1], (long long)offset[0],
                       (long long)offset[1]);
    *out = (sri_extent){name, (uint64_t)offset[0], (uint64_t)offset[1], shape[0], shape[1]};
    return SPECREG_OK;
}

static int by_place(const void *a, const void *b)
{
    const sri_extent *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static specreg_status read_tensors(specreg_context *ctx, sri_container *c)
{
    const char *name;
    json_t *tensor, *header = c->header;
    SRI_NEW(ctx, c->tensor, (int64_t)json_object_size(header), 1);
    json_object_foreach (header, name, tensor) {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        SRI_CALL(get_extent(ctx, c, name, tensor, &c->tensor[c->tensors]));
        c->tensors++;
    }
    qsort(c->tensor, (size_t)c->tensors, sizeof *c->tensor, by_place);
    return SPECREG_OK;
}

/* The tensors must follow each other without holes or overlaps and fill the file. */
static specreg_status check_tensors(specreg_context *ctx, const sri_container *c)
{
    const uint64_t size = (uint64_t)(c->size - (size_t)(c->data - c->bytes));
    uint64_t at = 0;
    for (int64_t i = 0; i < c->tensors; at = c->tensor[i++].end)
        if (c->tensor[i].begin != at)
            return damaged(ctx, c, "tensor '%s' begins at byte %llu, not %llu", c->tensor[i].name,
                           (unsigned long long)c->tensor[i].begin, (unsigned long long)at);
    if (at > size)
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "%s is truncated: its tensors need %llu bytes, there are %llu", c->path,
                        (unsigned long long)at, (unsigned long long)size);
    if (at != size || (c->data - c->bytes) % 8 != 0)
        return damaged(ctx, c, "its tensors take %llu bytes, there are %llu",
                       (unsigned long long)at, (unsigned long long)size);
    return SPECREG_OK;
}

/* The hash of the file with zeros for the digits must be the digits. */
static specreg_status check_checksum(specreg_context *ctx, const sri_container *c)
{
    const char *stated = sri_metadata_get(&c->metadata, "checksum");
    char *header = c->bytes + LENGTH_BYTES;
    char *digits = checksum_digits(header, (size_t)(c->data - header));
    char found[DIGITS];
    if (!stated || strlen(stated) != DIGITS || !digits || memcmp(digits, stated, DIGITS) != 0)
        return damaged(ctx, c, "its checksum is missing");
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        return no_memory(ctx);
    XXH3_128bits_reset(hash);
    XXH3_128bits_update(hash, c->bytes, (size_t)(digits - c->bytes));
    XXH3_128bits_update(hash, zeros, DIGITS);
    XXH3_128bits_update(hash, digits + DIGITS, (size_t)(c->bytes + c->size - (digits + DIGITS)));
    hash_text(hash, found);
    XXH3_freeState(hash);
    if (memcmp(found, stated, DIGITS) != 0)
        return damaged(ctx, c, "its checksum does not match");
    return SPECREG_OK;
}

/* The checksum comes last, so that a truncated file is called truncated. */
specreg_status sri_container_parse(specreg_context *ctx, char *bytes, size_t size, const char *path,
                                   sri_container *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_container){.bytes = bytes, .size = size};
    SRI_STRDUP(ctx, out->path, path);
    SRI_TRY(parse_header(ctx, out));
    SRI_TRY(read_metadata(ctx, out));
    SRI_TRY(read_tensors(ctx, out));
    SRI_TRY(check_tensors(ctx, out));
    SRI_TRY(check_checksum(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_container_free(out);
    return st;
}

specreg_status sri_container_read(specreg_context *ctx, const char *path, sri_container *out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    char *bytes = NULL;
    int64_t capacity = 0, size = 0;
    size_t got;
    const char *head;
    *out = (sri_container){0};
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_peek(ctx, stream, &head, &got));
    SRI_REQUIRE(ctx, got == 0 || sri_container_looks(head, got), SPECREG_E_FORMAT,
                "%s is not a specreg model", sri_stream_name(stream));
    do { /* no more memory than there are bytes */
        SRI_TRY(sri_grow(ctx, (void **)&bytes, &capacity, size + (1 << 16), 1));
        SRI_TRY(sri_stream_read(ctx, stream, bytes + size, (size_t)(capacity - size), &got));
        size += (int64_t)got;
    } while (got > 0);
    st = sri_container_parse(ctx, bytes, (size_t)size, sri_stream_name(stream), out);
    bytes = NULL;
done:
    sri_free(bytes);
    sri_stream_close(stream);
    return st;
}

static const sri_extent *find_tensor(const sri_container *c, const char *name)
{
    for (int64_t i = 0; i < c->tensors; i++)
        if (strcmp(c->tensor[i].name, name) == 0)
            return &c->tensor[i];
    return NULL;
}

bool sri_container_has(const sri_container *c, const char *tensor)
{
    return find_tensor(c, tensor) != NULL;
}

specreg_status sri_container_tensor(specreg_context *ctx, const sri_container *c, const char *name,
                                    double **data, int64_t *rows, int64_t *cols)
{
    const sri_extent *e = find_tensor(c, name);
    *data = NULL;
    if (!e)
        return sri_fail(ctx, SPECREG_E_FORMAT, "is damaged: tensor '%s' is missing", name);
    SRI_NEW(ctx, *data, e->rows, e->cols);
    memcpy(*data, c->data + e->begin, (size_t)(e->end - e->begin));
    *rows = e->rows;
    *cols = e->cols;
    for (int64_t i = 0; BYTE_ORDER == BIG_ENDIAN && i < e->rows * e->cols; i++) {
        uint64_t bits;
        memcpy(&bits, *data + i, sizeof bits);
        bits = le64toh(bits);
        memcpy(*data + i, &bits, sizeof bits);
    }
    for (int64_t i = 0; i < e->rows * e->cols; i++)
        if (!isfinite((*data)[i])) {
            sri_free(*data);
            *data = NULL;
            return sri_fail(ctx, SPECREG_E_FORMAT,
                            "is damaged: value %lld of tensor '%s' is not a finite number",
                            (long long)i + 1, name);
        }
    return SPECREG_OK;
}
