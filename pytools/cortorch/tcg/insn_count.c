/* QEMU TCG plugin: exact number of instructions of each run of a plan, and of each of its steps.
 *
 *   -plugin insn_count.so,begin=ADDRESS,step=ADDRESS,end=ADDRESS,fd=NUMBER
 *
 * The addresses are those of ct_run_steps, ct_run_step and ct_run_end (firmware/runtime/ct.c). As soon as a
 * run reaches its end, one line of decimal numbers goes to the file descriptor: instructions from `begin` to
 * `end`, then those of each step, from its `step` to the next one, or to `end`. A run that does not reach its
 * end leaves no line. An instruction that its IT block skips counts, as it does for the core.
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

static uint64_t executed; /* by the machine, since power-on */

/* Values of `executed` at the marks of the run in progress: its begin, then each step's. */
static uint64_t *marks;
static size_t mark_count, mark_capacity;

static FILE *out;

static void set_mark(void)
{
    if (mark_count == mark_capacity) {
        mark_capacity = mark_capacity == 0 ? 64 : 2 * mark_capacity;
        marks = realloc(marks, mark_capacity * sizeof *marks);
        if (marks == NULL) {
            abort();
        }
    }
    marks[mark_count++] = executed;
}

static void on_begin(unsigned int vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    mark_count = 0;
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
    fprintf(out, "%" PRIu64, executed - marks[0]);
    for (size_t i = 1; i + 1 < mark_count; i++) {
        fprintf(out, " %" PRIu64, marks[i + 1] - marks[i]);
    }
    fputc('\n', out);
    fflush(out);
    mark_count = 0;
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
        for (size_t p = 0; p < PLACE_COUNT; p++) {
            if (qemu_plugin_insn_vaddr(insn) == places[p].address) {
                qemu_plugin_register_vcpu_insn_exec_cb(insn, places[p].reached, QEMU_PLUGIN_CB_NO_REGS, NULL);
            }
        }
        qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &executed, 1);
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
