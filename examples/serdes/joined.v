// Two switches joined by serial lines, whose receivers do not know where words begin.

// Behavioural serializer, cable and deserializer. The received words begin `offset` bits off the sent words after the reset; each
// `slip` moves them by one bit, as the bit slip of a transceiver does.
module serdes #(parameter WORD = 270) (
    input clk,
    input rst,
    input [8:0] offset,
    input [WORD-1:0] sent,
    input sent_valid,
    input slip,
    output [WORD-1:0] received,
    output reg received_valid
);
    reg [2*WORD-1:0] bits;
    reg [8:0] place;
    wire [2*WORD-1:0] cut = bits >> place;
    assign received = cut[WORD-1:0];

    always @(posedge clk) begin
        received_valid <= sent_valid & ~rst;
        bits <= {sent, bits[2*WORD-1:WORD]};
        if (rst) place <= offset;
        else if (slip) place <= place == WORD - 1 ? 9'd0 : place + 9'd1;
    end
endmodule

module joined (
    input clk,
    input rst,
    input [8:0] offset_0,
    input [8:0] offset_1,
    input [1:0] rx_tvalid,
    output [1:0] rx_tready,
    input [127:0] rx_tdata,
    input [1:0] rx_tdest,
    input [7:0] rx_tuser,
    input [1:0] rx_tlast,
    output [1:0] tx_tvalid,
    output [127:0] tx_tdata,
    output [1:0] tx_tlast,
    output [1:0] bad_check,
    output [2:0] state_0,
    output [2:0] state_1
);
    wire [269:0] sent [0:1];
    wire [269:0] received [0:1];
    wire [1:0] sent_valid, received_valid, slip;
    wire [490:0] status [0:1];
    assign state_0 = status[0][2:0];
    assign state_1 = status[1][2:0];

    genvar n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : node
            wire here = n;
            switch_torus_2_h1_f64_p4_d8_axi_no_apb switch_n (
                .clk(clk),
                .rst(rst),
                .own_dim0(here),
                .dim0_forward_peer_address(~here),
                .dim0_forward_i_payload(received[n]),
                .dim0_forward_i_valid(received_valid[n]),
                .dim0_forward_i_ready(),
                .dim0_forward_o_payload(sent[n]),
                .dim0_forward_o_valid(sent_valid[n]),
                .dim0_forward_o_ready(1'b1),
                .dim0_forward_locked(),
                .dim0_forward_slip(slip[n]),
                .dim0_forward_status(status[n]),
                .host_0_rx_tvalid(rx_tvalid[n]),
                .host_0_rx_tready(rx_tready[n]),
                .host_0_rx_tdata(rx_tdata[64*n+:64]),
                .host_0_rx_tdest(rx_tdest[n]),
                .host_0_rx_tuser(rx_tuser[4*n+:4]),
                .host_0_rx_tlast(rx_tlast[n]),
                .host_0_tx_tvalid(tx_tvalid[n]),
                .host_0_tx_tready(1'b1),
                .host_0_tx_tdata(tx_tdata[64*n+:64]),
                .host_0_tx_tid(),
                .host_0_tx_tuser(),
                .host_0_tx_tlast(tx_tlast[n]),
                .clear(1'b0),
                .bad_header(),
                .invalid(),
                .no_route(),
                .expired(),
                .u_turn(),
                .bad_length(),
                .stray(),
                .bad_check(bad_check[n]),
                .patience(24'd0),
                .untaken()
            );
            serdes line (
                .clk(clk),
                .rst(rst),
                .offset(n == 0 ? offset_0 : offset_1),
                .sent(sent[1-n]),
                .sent_valid(sent_valid[1-n]),
                .slip(slip[n]),
                .received(received[n]),
                .received_valid(received_valid[n])
            );
        end
    endgenerate
endmodule
