# The repository with all that its two commands need:
#   docker build -t dsnswitch .
#   docker run --rm dsnswitch make verilog P=4
#   docker run --rm dsnswitch make test
FROM python:3.11-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /dsnswitch
COPY . .
RUN .ci/setup test
CMD ["make", "verilog", "P=4"]
