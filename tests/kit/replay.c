/* A main() for fuzz targets where libFuzzer is not linked: runs the target on every file of the
 * folders (or files) given. */
#include <dirent.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(size ? size : 1); /* exact size: a read past the end is seen */
    const size_t got = data ? fread(data, 1, size, f) : 0;
    fclose(f);
    if (got == size)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    return got == size;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        if (!d) {
            count += replay_file(argv[i]);
            continue;
        }
        for (struct dirent *e; (e = readdir(d));) {
            char path[PATH_MAX];
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            if (e->d_name[0] != '.')
                count += replay_file(path);
        }
        closedir(d);
    }
    printf("%d inputs replayed\n", count);
    return count ? 0 : 1;
}
