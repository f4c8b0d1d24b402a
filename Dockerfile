# The image holds one static binary and the roots of the public certificate
# authorities, and runs as an ordinary user:
#
#   docker build --build-arg VERSION=v0.1.0 -t probity-dev/probity:v0.1.0 .

# Built on the machine's own platform, for the image's: Go needs no emulation.
FROM --platform=${BUILDPLATFORM:-linux/amd64} golang:1.26 AS build
WORKDIR /src
# The modules in a layer of their own: they change less often than the code.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
# Set by the builder to the image's platform; empty means the machine's own.
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /out/probity ./cmd/probity

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/probity /probity
# A number, so that a kubelet can tell that it is not root.
USER 65532:65532
ENTRYPOINT ["/probity"]
