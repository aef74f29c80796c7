/* The model file: what is written reads back bit for bit; whatever is wrong with a file is said in
 * one line.  Damaged files are made here byte by byte, with checksums of their own where needed. */
#include "small_table.h"

#include <endian.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "record/container.h"

static const char PATH[] = "m.srm"; /* in messages */

static char *temp_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/test_container.%d.srm", (int)getpid());
    return path;
}

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static const double A[6] = {1, -0.0, 1.0 / 3, 1e308, 5e-324, -1e-300}, B[1] = {42};
static const sri_tensor TENSORS[] = {{"coefficients", A, 2, 3}, {"empty", A, 0, 4}, {"b", B, 1, 1}};

/* The bytes of a good file with odd metadata. */
static char *good_file(specreg_context *ctx, size_t *size)
{
    sri_metadata metadata = {0};
    assert_ok(ctx, sri_metadata_set(ctx, &metadata, "note", "caf\xc3\xa9 \"checksum\":\"0\" \n"));
    assert_ok(ctx, sri_metadata_set(ctx, &metadata, "a\"checksum", "x"));
    assert_ok(ctx, sri_metadata_set(ctx, &metadata, "format", "overwritten"));
    assert_ok(ctx, sri_container_write(ctx, temp_path(), &metadata, TENSORS, 3));
    sri_metadata_free(&metadata);
    char *bytes = read_all(temp_path(), size);
    unlink(temp_path());
    return bytes;
}

TEST(container, what_is_written_reads_back_bit_for_bit)
{
    sri_container c;
    size_t size;
    double *data;
    int64_t rows, cols;
    char *bytes = good_file(ctx, &size);
    assert_ok(ctx, sri_container_parse(ctx, bytes, size, PATH, &c));
    assert_string_equal(sri_metadata_get(&c.metadata, "note"), "caf\xc3\xa9 \"checksum\":\"0\" \n");
    assert_string_equal(sri_metadata_get(&c.metadata, "format"), "specreg");
    assert_string_equal(sri_metadata_get(&c.metadata, "format_version"), "2");
    assert_int_equal(c.tensors, 3);
    assert_int_equal((c.data - c.bytes) % 8, 0);
    for (int i = 0; i < 3; i++) {
        assert_ok(ctx, sri_container_tensor(ctx, &c, TENSORS[i].name, &data, &rows, &cols));
        assert_int_equal(rows, TENSORS[i].rows);
        assert_int_equal(cols, TENSORS[i].cols);
        assert_memory_equal(data, TENSORS[i].data, (size_t)(rows * cols) * sizeof *data);
        free(data);
    }
    assert_fails(ctx, sri_container_tensor(ctx, &c, "nothing", &data, &rows, &cols),
                 SPECREG_E_FORMAT, "is damaged: tensor 'nothing' is missing");
    sri_container_free(&c);
}

TEST(container, the_same_content_gives_the_same_bytes)
{
    size_t a_size, b_size;
    char *a = good_file(ctx, &a_size), *b = good_file(ctx, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(b);
    free(a);
}

/* The checksum of a file by the rule of the format: all bytes, its own digits as '0'. */
static void checksum_of(char *bytes, size_t size, char *digits)
{
    char text[33];
    memset(digits, '0', 32);
    const XXH128_hash_t h = XXH3_128bits(bytes, size);
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
    memcpy(digits, text, 32);
}

TEST(container, the_checksum_is_that_of_the_file_with_zeros_in_its_place)
{
    size_t size;
    char *bytes = good_file(ctx, &size), *copy = malloc(size);
    memcpy(copy, bytes, size);
    char *digits = memmem(copy, size, "{\"a\\\"checksum\":\"x\",\"checksum\":\"", 31);
    assert_non_null(digits);
    checksum_of(copy, size, digits + 31);
    assert_memory_equal(copy, bytes, size);
    free(copy);
    free(bytes);
}

static void assert_parse_fails(specreg_context *ctx, const char *bytes, size_t size,
                               const char *text)
{
    sri_container c;
    char *copy = malloc(size ? size : 1); /* of this size, so that reading past it is seen */
    memcpy(copy, bytes, size);
    assert_fails(ctx, sri_container_parse(ctx, copy, size, PATH, &c), SPECREG_E_FORMAT, text);
    assert_null(c.bytes);
    assert_null(c.metadata.texts);
}

TEST(container, every_truncation_is_refused_and_most_say_so)
{
    size_t size, header;
    char *bytes = good_file(ctx, &size), text[128];
    header = (unsigned char)bytes[0] + 256u * (unsigned char)bytes[1];
    for (size_t n = 0; n < size; n++) {
        if (n == 0)
            snprintf(text, sizeof text, "m.srm is empty");
        else if (n < 9)
            snprintf(text, sizeof text, "m.srm is not a specreg model");
        else if (n < 8 + header)
            snprintf(text, sizeof text,
                     "m.srm is truncated: its header needs %zu bytes, there are %zu", header,
                     n - 8);
        else
            snprintf(text, sizeof text,
                     "m.srm is truncated: its tensors need 56 bytes, there are %zu",
                     n - 8 - header);
        assert_parse_fails(ctx, bytes, n, text);
    }
    free(bytes);
}

/* Any changed bit is found; in the tensors it is the checksum that finds it. */
TEST(container, every_flipped_bit_is_refused)
{
    size_t size;
    char *bytes = good_file(ctx, &size);
    for (size_t i = 0; i < 8 * size; i++) {
        sri_container c;
        char *copy = malloc(size);
        memcpy(copy, bytes, size);
        copy[i / 8] = (char)(copy[i / 8] ^ 1 << i % 8);
        if (i / 8 >= size - 56) {
            assert_fails(ctx, sri_container_parse(ctx, copy, size, PATH, &c), SPECREG_E_FORMAT,
                         "m.srm is damaged: its checksum does not match");
        } else
            assert_int_equal(sri_container_parse(ctx, copy, size, PATH, &c), SPECREG_E_FORMAT);
    }
    free(bytes);
}

TEST(container, bytes_after_the_end_are_refused)
{
    size_t size;
    char *bytes = good_file(ctx, &size);
    memset(bytes + size, 0, 8);
    assert_parse_fails(ctx, bytes, size + 8,
                       "m.srm is damaged: its tensors take 56 bytes, there are 64");
    free(bytes);
}

/* A file with this header, 16 bytes of tensors, and a right checksum where the header has digits.
 */
static size_t make_file(const char *header, char *bytes)
{
    static const char key[] = "\"checksum\":\"";
    const uint64_t length = (strlen(header) + 7) / 8 * 8, stored = htole64(length);
    const size_t size = 8 + length + 16;
    memset(bytes, ' ', size);
    memcpy(bytes, &stored, 8);
    memcpy(bytes + 8, header, strlen(header));
    memset(bytes + 8 + length, 0, 16);
    char *digits = memmem(bytes, size, key, sizeof key - 1);
    if (digits)
        checksum_of(bytes, size, digits + sizeof key - 1);
    return size;
}

#define DIGITS "00000000000000000000000000000000"
#define META(version)                          \
    "\"__metadata__\":{\"checksum\":\"" DIGITS \
    "\",\"format\":\"specreg\",\"format_version\":" version "}"
#define TENSOR(name, shape, offsets) \
    ",\"" name "\":{\"data_offsets\":" offsets ",\"dtype\":\"F64\",\"shape\":" shape "}"

static void assert_header_fails(specreg_context *ctx, const char *header, const char *text)
{
    char bytes[4096];
    const size_t size = make_file(header, bytes);
    assert_parse_fails(ctx, bytes, size, text);
}

TEST(container, a_header_made_by_hand_is_read)
{
    char *bytes = malloc(4096);
    sri_container c;
    const size_t size = make_file("{" META("\"1\"") TENSOR("b", "[1,1]", "[8,16]")
                                      TENSOR("a", "[1,1]", "[0,8]") "}",
                                  bytes);
    assert_ok(ctx, sri_container_parse(ctx, bytes, size, PATH, &c));
    sri_container_free(&c);
}

TEST(container, a_newer_version_is_named_before_anything_else)
{
    assert_header_fails(
        ctx, "{\"__metadata__\":{\"format\":\"specreg\",\"format_version\":\"7\"},\"x\":3}",
        "m.srm was written by a newer specreg (format 7; this one reads up to 2)");
    assert_header_fails(ctx, "{" META("\"x\"") "}",
                        "m.srm is damaged: its format version is not a number");
    assert_header_fails(ctx, "{" META("\"0\"") "}",
                        "m.srm is damaged: its format version is not a number");
    assert_header_fails(ctx, "{" META("1") "}",
                        "m.srm is damaged: its format version is not a number");
}

TEST(container, other_files_are_not_models)
{
    static const char other[] = "m.srm is not a specreg model";
    assert_header_fails(ctx, "{\"a\":{\"dtype\":\"F64\"}}", other);
    assert_header_fails(ctx, "{\"__metadata__\":{\"format\":\"pt\"}}", other);
    assert_header_fails(ctx, "{\"__metadata__\":[]}", other);
    assert_header_fails(ctx, "[1,2]", other);
    assert_header_fails(ctx, "{\"a\":", other);
    assert_parse_fails(ctx, "x1,x2,y\n1,2,3\n", 14, other);
    assert_parse_fails(ctx, "\x93NUMPY\x01\x00v\x00{'descr'", 18, other);
    assert_header_fails(ctx, "{\"a\":\"specreg\"",
                        "m.srm is damaged: its header cannot be read ('}' expected near end of "
                        "file)");
    assert_header_fails(ctx, "{" META("\"1\"") ",\"a\":1,\"a\":2}",
                        "m.srm is damaged: its header cannot be read (duplicate object key near "
                        "'\"a\"')");
}

TEST(container, impossible_tensors_are_named)
{
#define FAILS(shape, offsets, text) \
    assert_header_fails(ctx, "{" META("\"1\"") TENSOR("a", shape, offsets) "}", text)
#define UNREADABLE "m.srm is damaged: the shape or place of tensor 'a' cannot be read"
    FAILS("[2]", "[0,16]", UNREADABLE);
    FAILS("[2,1.5]", "[0,16]", UNREADABLE);
    FAILS("[-1,-2]", "[0,16]", UNREADABLE);
    FAILS("[2,1]", "[0,16,0]", UNREADABLE);
    FAILS("[2,1]", "\"0\"", UNREADABLE);
    FAILS("[2,1]", "[0,15]", "m.srm is damaged: tensor 'a' of shape 2 x 1 lies at bytes 0 to 15");
    FAILS("[4611686018427387904,4]", "[0,0]",
          "m.srm is damaged: tensor 'a' of shape 4611686018427387904 x 4 lies at bytes 0 to 0");
    FAILS("[2305843009213693952,1]", "[0,0]",
          "m.srm is damaged: tensor 'a' of shape 2305843009213693952 x 1 lies at bytes 0 to 0");
    FAILS("[1,1]", "[12,4]", "m.srm is damaged: tensor 'a' of shape 1 x 1 lies at bytes 12 to 4");
    FAILS("[1,1]", "[4,12]", "m.srm is damaged: tensor 'a' of shape 1 x 1 lies at bytes 4 to 12");
    FAILS("[1,1]", "[8,16]", "m.srm is damaged: tensor 'a' begins at byte 8, not 0");
    FAILS("[3,1]", "[0,24]", "m.srm is truncated: its tensors need 24 bytes, there are 16");
    FAILS("[1,1]", "[0,8]", "m.srm is damaged: its tensors take 8 bytes, there are 16");
    assert_header_fails(ctx,
                        "{" META("\"1\"") TENSOR("a", "[2,1]", "[0,16]")
                            TENSOR("b", "[1,1]", "[8,16]") "}",
                        "m.srm is damaged: tensor 'b' begins at byte 8, not 16");
    assert_header_fails(ctx, "{" META("\"1\"") ",\"a\":[]}",
                        "m.srm is damaged: tensor 'a' is not of type F64");
    assert_header_fails(ctx,
                        "{" META("\"1\"") ",\"a\":{\"data_offsets\":[0,16],\"dtype\":\"F32\","
                                          "\"shape\":[2,1]}}",
                        "m.srm is damaged: tensor 'a' is not of type F64");
    assert_header_fails(
        ctx, "{\"__metadata__\":{\"format\":\"specreg\",\"format_version\":\"1\",\"x\":5}}",
        "m.srm is damaged: its metadata 'x' is not a text");
    assert_header_fails(
        ctx,
        "{\"__metadata__\":{\"format\":\"specreg\",\"format_version\":\"1\"}" TENSOR("a", "[2,1]",
                                                                                     "[0,16]") "}",
        "m.srm is damaged: its checksum is missing");
}

/* A hundred thousand brackets must not exhaust the stack. */
TEST(container, deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    char *bytes = malloc(8 + DEPTH);
    const uint64_t length = htole64(DEPTH);
    memcpy(bytes, &length, 8);
    memset(bytes + 8, '[', DEPTH);
    memcpy(bytes + 8, "{\"a\":", 5);
    sri_container c;
    assert_fails(ctx, sri_container_parse(ctx, bytes, 8 + DEPTH, PATH, &c), SPECREG_E_FORMAT,
                 "m.srm is not a specreg model");
}

TEST(container, files_are_read_and_their_absence_is_reported)
{
    sri_container c;
    assert_ok(ctx, sri_container_write(ctx, temp_path(), NULL, TENSORS, 3));
    assert_ok(ctx, sri_container_read(ctx, temp_path(), &c));
    assert_true(sri_container_looks(c.bytes, c.size));
    sri_container_free(&c);
    unlink(temp_path());
    assert_int_equal(sri_container_read(ctx, temp_path(), &c), SPECREG_E_IO);
    assert_memory_equal(specreg_last_error(ctx), temp_path(), strlen(temp_path()));
    assert_int_equal(sri_container_read(ctx, "/tmp", &c), SPECREG_E_IO);
    assert_memory_equal(specreg_last_error(ctx), "/tmp", 4);
    assert_false(sri_container_looks("x1,x2,x3\n{", 10));
    assert_false(sri_container_looks("", 0));
}

TEST(container, what_cannot_be_written_leaves_no_file)
{
    const sri_tensor twice[] = {{"a", B, 1, 1}, {"a", B, 1, 1}};
    const sri_tensor reserved[] = {{"__metadata__", B, 1, 1}};
    const sri_tensor huge[] = {{"a", B, INT64_MAX / 4, 4}};
    assert_fails(ctx, sri_container_write(ctx, temp_path(), NULL, twice, 2), SPECREG_E_ARG,
                 "tensor name 'a' is taken");
    assert_int_equal(sri_container_write(ctx, temp_path(), NULL, reserved, 1), SPECREG_E_ARG);
    assert_int_equal(sri_container_write(ctx, temp_path(), NULL, huge, 1), SPECREG_E_SHAPE);
    assert_int_equal(access(temp_path(), F_OK), -1);
}
