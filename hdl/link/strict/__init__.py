"""The strict link: 256b/257b transcoding and RS(528,514)."""
