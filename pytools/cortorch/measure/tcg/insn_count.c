/* QEMU TCG plugin: how often each instruction ran, in each step of each run of a plan.
 *
 *   -plugin insn_count.so,begin=ADDRESS,step=ADDRESS,end=ADDRESS,fd=NUMBER
 *
 * The addresses are those of ct_run_steps, ct_run_step and ct_run_end (firmware/runtime/ct.c). As soon as a
 * run reaches its end, one line goes to the file descriptor: instructions from `begin` to `end`, then for
 * each step, from its `step` to the next one, or to `end`, a `|` and `ADDRESS:COUNT` for every instruction
 * that ran, the address in hexadecimal. A run that does not reach its end leaves no line. An instruction that
 * its IT block skips counts, as it does for the core.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of QEMU's plugin API, version 1 (QEMU 4.2 to 8.2), that is used here. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*translation_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*execution_cb)(unsigned int vcpu, void *userdata);

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, translation_cb cb);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, execution_cb cb,
                                                   enum qemu_plugin_cb_flags flags, void *userdata);
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
                                                       void *counter, uint64_t addend);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

/* One for each address at which code was translated; they stay where they are, since that code adds to them.
 * At most half are used, so that a place is found at once: 128 K instructions, of two bytes or more. */
#define COUNTER_COUNT (1u << 18)

static struct counter {
    uint64_t address; /* 0: not in use */
    uint64_t executed;
} counters[COUNTER_COUNT];

static struct counter *used[COUNTER_COUNT / 2]; /* in the order of translation */
static size_t used_count;

/* A mark is what the counters stood at: in order of `used`, those that there were. */
struct mark {
    uint64_t *executed;
    size_t count;
};

/* Of the run in progress: its begin, then each step's. */
static struct mark *marks;
static size_t mark_count, mark_capacity;

static FILE *out;

static void *grown(void *memory, size_t bytes)
{
    void *more = realloc(memory, bytes);
    if (more == NULL) {
        abort();
    }
    return more;
}

static uint64_t *counter_of(uint64_t address)
{
    size_t place = (size_t)(address >> 1) % COUNTER_COUNT;
    while (counters[place].address != address) {
        if (counters[place].address == 0) {
            if (used_count == sizeof used / sizeof used[0]) {
                abort();
            }
            counters[place].address = address;
            used[used_count++] = &counters[place];
        } else {
            place = (place + 1) % COUNTER_COUNT;
        }
    }
    return &counters[place].executed;
}

static void set_mark(void)
{
    if (mark_count == mark_capacity) {
        mark_capacity = mark_capacity == 0 ? 64 : 2 * mark_capacity;
        marks = grown(marks, mark_capacity * sizeof *marks);
    }
    struct mark *mark = &marks[mark_count++];
    mark->executed = grown(NULL, (used_count + 1) * sizeof(uint64_t));
    mark->count = used_count;
    for (size_t i = 0; i < used_count; i++) {
        mark->executed[i] = used[i]->executed;
    }
}

static void forget_marks(void)
{
    while (mark_count != 0) {
        free(marks[--mark_count].executed);
    }
}

/* What counter `i` counted from mark `first` to mark `last`. */
static uint64_t between(size_t first, size_t last, size_t i)
{
    const uint64_t before = i < marks[first].count ? marks[first].executed[i] : 0;
    return marks[last].executed[i] - before;
}

static void print_run(void)
{
    const size_t last = mark_count - 1;
    uint64_t total = 0;
    for (size_t i = 0; i < marks[last].count; i++) {
        total += between(0, last, i);
    }
    fprintf(out, "%" PRIu64, total);
    for (size_t step = 1; step < last; step++) {
        fputc('|', out);
        for (size_t i = 0; i < marks[step + 1].count; i++) {
            const uint64_t count = between(step, step + 1, i);
            if (count != 0) {
                fprintf(out, " %" PRIx64 ":%" PRIu64, used[i]->address, count);
            }
        }
    }
    fputc('\n', out);
    fflush(out);
}

static void on_begin(unsigned int vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    forget_marks();
    set_mark();
}

static void on_step(unsigned int vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    if (mark_count != 0) {
        set_mark();
    }
}

static void on_end(unsigned int vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    if (mark_count == 0) {
        return;
    }
    set_mark();
    print_run();
    forget_marks();
}

static struct {
    const char *name;
    execution_cb reached;
    uint64_t address;
} places[] = {{"begin=", on_begin, 0}, {"step=", on_step, 0}, {"end=", on_end, 0}};

#define PLACE_COUNT (sizeof places / sizeof places[0])

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t address = qemu_plugin_insn_vaddr(insn);
        for (size_t p = 0; p < PLACE_COUNT; p++) {
            if (address == places[p].address) {
                qemu_plugin_register_vcpu_insn_exec_cb(insn, places[p].reached, QEMU_PLUGIN_CB_NO_REGS, NULL);
            }
        }
        qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, counter_of(address), 1);
    }
}

static bool take_argument(const char *argument)
{
    if (strncmp(argument, "fd=", 3) == 0) {
        out = fdopen(atoi(argument + 3), "w");
        return out != NULL;
    }
    for (size_t p = 0; p < PLACE_COUNT; p++) {
        const size_t length = strlen(places[p].name);
        if (strncmp(argument, places[p].name, length) == 0) {
            places[p].address = strtoull(argument + length, NULL, 0);
            return places[p].address != 0;
        }
    }
    return false;
}

/* `info` describes the emulator; we need nothing of it. */
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!take_argument(argv[i])) {
            fprintf(stderr, "insn_count: bad argument '%s'\n", argv[i]);
            return -1;
        }
    }
    if (argc != PLACE_COUNT + 1) {
        fprintf(stderr, "insn_count: begin, step, end and fd are needed\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
