// Runs the model Vtop with cocotb, which is Verilator's VPI application.
//
// cocotb has a main function for Verilator, which evaluates the model at the beginning of every time step and again when the
// inputs of the step are written: four times per clock cycle. This one evaluates the model only when an input was written,
// which is twice per cycle. Evaluation of an unchanged model has no effect, because a model has no delays.
//
// The option --trace writes the waveforms to dump.vcd.

#include <memory>
#include <string>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_vpi.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

extern "C" void vlog_startup_routines_bootstrap();

namespace {

constexpr QData NEVER = ~QData{0};

// Calls the callbacks of changed values until they change no more values.
void values() {
    while (VerilatedVpi::callValueCbs()) {
    }
}

// Writes the values that wait, and calls the callbacks of changed values.
void put() {
    VerilatedVpi::doInertialPuts();
    values();
}

// Brings the model to rest in the present time step.
void settle(Vtop& top) {
    put();
    do {
        while (VerilatedVpi::evalNeeded()) {
            VerilatedVpi::clearEvalNeeded();
            top.eval_step();
            put();
        }
        VerilatedVpi::callCbs(cbReadWriteSynch);
        put();
    } while (VerilatedVpi::evalNeeded());
    top.eval_end_step();
    VerilatedVpi::callCbs(cbReadOnlySynch);
}

}  // namespace

int main(int argc, char** argv) {
    VerilatedContext& context = *Verilated::threadContextp();
    context.commandArgs(argc, argv);
    Verilated::fatalOnVpiError(false);
    const auto top = std::make_unique<Vtop>("");
#if VM_TRACE
    std::unique_ptr<VerilatedVcdC> trace;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--trace") {
            context.traceEverOn(true);
            trace = std::make_unique<VerilatedVcdC>();
            top->trace(trace.get(), 99);
            trace->open("dump.vcd");
        }
    }
#endif
    vlog_startup_routines_bootstrap();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    values();
    top->eval_step();
    while (!context.gotFinish()) {
        settle(*top);
#if VM_TRACE
        if (trace) trace->dump(context.time());
#endif
        const QData next = VerilatedVpi::cbNextDeadline();
        if (next == NEVER) break;
        context.time(next);
        VerilatedVpi::callCbs(cbNextSimTime);
        values();
        VerilatedVpi::callTimedCbs();
        values();
    }
    top->final();
    VerilatedVpi::callCbs(cbEndOfSimulation);
#if VM_TRACE
    if (trace) trace->close();
#endif
    return context.errorCount() > 0;
}
