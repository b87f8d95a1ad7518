// A registered input port around the emitted route logic of an 8 x 8 x 8 network.
module switch_port #(
  parameter [2:0] X = 0, Y = 0, ID = 0
) (
  input            clk,
  input            rst,
  input            valid,
  input      [8:0] destination,  // x, y and id, from bit 0
  output reg [7:0] request,      // one-hot output port; 0 if no packet leaves
  output reg [1:0] request_class,
  output reg       deliver
);
  wire [7:0] out_port;
  wire [1:0] out_class;
  wire arrived, invalid;

  dsn_route_grid_8x8_k4x2 route (
    .own_x(X), .own_y(Y), .own_id(ID),
    .dst_x(destination[2:0]), .dst_y(destination[5:3]), .dst_id(destination[8:6]),
    .out_port(out_port), .out_class(out_class), .arrived(arrived), .invalid(invalid)
  );

  always @(posedge clk)
    if (rst) begin
      request <= 0;
      request_class <= 0;
      deliver <= 0;
    end else begin
      request <= valid && !invalid ? out_port : 0;
      request_class <= out_class;
      deliver <= valid && arrived;
    end
endmodule
