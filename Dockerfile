# docker build -t attention-lab . && docker run -p 5006:5006 attention-lab
FROM python:3.11-slim
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home lab
USER lab
WORKDIR /home/lab/app
COPY --chown=lab requirements.txt Makefile ./
RUN make .venv/.serve
COPY --chown=lab . .
# Inside a container the server must listen on every address, or nobody outside reaches it.
ENV ATTENTION_LAB_ADDRESS=0.0.0.0
EXPOSE 5006
HEALTHCHECK CMD [".venv/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:5006/health')"]
CMD ["make", "serve"]
