"""The strict link: 256b/257b transcoding and the code RS(528,514), for a low error rate."""
