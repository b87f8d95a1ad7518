"""Curves of networks under traffic: experiments as sweep files, their recorded figures in ``docs/network.json``, plots."""
