"""Reserved words of the languages that instantiate or simulate an emitted module, and their other rules for names."""

import re

__all__ = ["LANGUAGES", "refusals"]

#: IEEE 1364-2005, annex B, and IEEE 1800-2017, annex B.
VERILOG = """
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind
    bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config
    const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable
    dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
    endinterface endmodule endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask
    enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin
    function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import
    incdir include initial inout input inside instance int integer interconnect interface intersect join join_any
    join_none large let liblist library local localparam logic longint macromodule matches medium modport module
    nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
    parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
    reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime
    s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify
    specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table
    tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
    type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""

#: IEEE 1076-2008, 15.10, including the reserved words of PSL, and IEEE 1076-2019.
VHDL = """
    abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body
    buffer bus case component configuration constant context cover default disconnect downto else elsif end entity
    exit fairness file for force function generate generic group guarded if impure in inertial inout is label
    library linkage literal loop map mod nand new next nor not null of on open or others out package parameter port
    postponed private procedure process property protected pure range record register reject release rem report
    restrict restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl strong subtype
    then to transport type unaffected units until use variable view vmode vpkg vprop vunit wait when while with xnor
    xor
"""

#: ISO C++20 with alternative tokens. Verilator and other tools turn ports into members of a class.
CPP = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
    this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
    while xor xor_eq
"""

#: Reserved words by language.
LANGUAGES = {"Verilog": VERILOG.split(), "VHDL": VHDL.split(), "C++": CPP.split()}


def refusals(names):
    """Sentences about the names among ``names`` that a language refuses. The names share one scope."""
    found, seen = [], {}
    for name in names:
        found += [f"{name} is a word of {language}" for language, words in LANGUAGES.items() if name in words]
        if name.lower() in LANGUAGES["VHDL"] and name != name.lower():
            found.append(f"{name} is a word of VHDL, which has no case")
        # VHDL: a name begins with a letter, and underscores are neither last nor consecutive. C++ reserves consecutive ones, too.
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*", name):
            found.append(f"{name} has an underscore at an end, two in a row, or another character")
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            found.append(f"{name} and {other} are one name in VHDL")
    return found
