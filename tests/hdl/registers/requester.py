"""An APB requester for Amaranth's simulator."""

__all__ = ["Requester"]


class Requester:
    """Starts transfers and checks the protocol. ``cycles``: those of the last transfer."""

    def __init__(self, ctx, apb):
        self._ctx, self._apb, self.cycles = ctx, apb, 0

    async def transfer(self, address, write=None, strobe=0xF, during=()):
        """``(data, error)``. ``during``: a signal that is 1 in the cycle in which a write takes place."""
        ctx, apb = self._ctx, self._apb
        values = {"psel": 1, "penable": 0, "pwrite": int(write is not None), "paddr": address}
        # A read has strobes and data too, which must have no effect.
        values |= {"pwdata": write if write is not None else 0xFFFFFFFF, "pstrb": strobe}
        for name, value in values.items():
            ctx.set(getattr(apb, name), value)
        await ctx.tick()
        ctx.set(apb.penable, 1)
        for signal in during:
            ctx.set(signal, 1)
        self.cycles = 2
        while not ctx.get(apb.pready):
            assert not ctx.get(apb.pslverr)
            await ctx.tick()
            for signal in during:
                ctx.set(signal, 0)
            self.cycles += 1
            assert self.cycles < 10, "no answer"
        data, error = ctx.get(apb.prdata), ctx.get(apb.pslverr)
        await ctx.tick()
        ctx.set(apb.psel, 0)
        ctx.set(apb.penable, 0)
        assert not ctx.get(apb.pready), "ready for two cycles"
        return data, error
